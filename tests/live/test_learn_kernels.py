"""What the page's own training computes with: kernels, functions, random numbers."""

import base64
import json
import math
import re

import numpy as np
import pytest

from tools.kernels import BYTES_JS, kernels, source

LETTERS = re.compile(r'"([\w+/=]+)"')


def test_the_bytes_are_those_that_the_source_makes():
    stored = BYTES_JS.read_text(encoding="ascii")
    assert stored == source()
    assert base64.b64decode("".join(LETTERS.findall(stored))) == kernels()
    assert len(kernels()) < 10_000


RUN = """({ simd, calls, numbers, code }) => {
  const machine = new Machine({ simd, bytes: 1 << 20 });
  if (machine.simd !== simd) throw new Error("not what was asked for");
  machine.numbers.set(numbers);
  for (const [name, ...args] of calls) machine.kernels[name](...args);
  return JSON.stringify([...new Int32Array(machine.numbers.buffer, 0, numbers.length)]);
}"""


def both(page, calls, numbers):
    """The memory's bits after these calls, by WebAssembly and by plain JavaScript."""
    given = {"calls": calls, "numbers": numbers.tolist()}
    runs = [page.evaluate(RUN, {**given, "simd": simd}) for simd in (True, False)]
    return [np.array(json.loads(run), dtype=np.int32) for run in runs]


@pytest.mark.parametrize("more", [False, True])
@pytest.mark.parametrize(
    "sizes",
    [(1, 1, 1), (4, 8, 3), (5, 13, 7), (3, 4, 16), (9, 23, 5), (2, 7, 0)],
    ids=str,
)
@pytest.mark.parametrize("turned", [False, True], ids=["", "A turned"])
def test_products_are_right_and_have_the_same_bits(page, modules, sizes, turned, more):
    modules("learn/machine.js")
    rows, columns, terms = sizes
    draw = np.random.default_rng(0)
    numbers = draw.normal(size=1200).astype(np.float32)
    a, b, c = 0, 300, 700
    strides = (1, rows) if turned else (terms + 2, 1)
    call = [
        "product",
        rows,
        columns,
        terms,
        a,
        *strides,
        b,
        columns + 3,
        c,
        columns,
        more,
    ]
    fast, plain = both(page, [call], numbers)
    np.testing.assert_array_equal(fast, plain)

    wanted = numbers.astype(float)
    for i in range(rows):
        for j in range(columns):
            at = c + i * columns + j
            its = [
                numbers[a + i * strides[0] + t * strides[1]].astype(float)
                * numbers[b + t * (columns + 3) + j]
                for t in range(terms)
            ]
            wanted[at] = more * wanted[at] + sum(its)
    np.testing.assert_allclose(fast.view(np.float32), wanted, atol=1e-5)


def test_each_sum_takes_its_terms_in_their_order(page, modules):
    """2²⁴ + 1 + 1 is 2²⁴ where each sum is rounded; 1 + 1 + 2²⁴ is two more."""
    modules("learn/machine.js")
    large = 2.0**24
    numbers = np.zeros(40, dtype=np.float32)
    numbers[:6] = [large, 1, 1, 1, 1, large]
    numbers[8:20] = 1  # three terms, four columns
    call = ["product", 2, 4, 3, 0, 3, 1, 8, 4, 20, 4, False]
    for bits in both(page, [call], numbers):
        sums = bits.view(np.float32)[20:28]
        assert sums.tolist() == [large] * 4 + [large + 2] * 4


def test_elementwise_kernels_are_right_and_have_the_same_bits(page, modules):
    modules("learn/machine.js")
    draw = np.random.default_rng(1)
    numbers = draw.normal(size=64).astype(np.float32)
    numbers[[3, 20, 37]] = [0.0, -0.0, np.nan]
    calls = [
        ["addTo", 12, 0, 16],
        ["relu", 12, 16, 32],
        ["addWherePositive", 12, 0, 32, 48],
    ]
    fast, plain = both(page, calls, numbers)
    np.testing.assert_array_equal(fast, plain)
    wanted = numbers.copy()
    wanted[16:28] += numbers[:12]
    wanted[32:44] = np.maximum(wanted[16:28], 0)
    wanted[48:60] += np.where(numbers[:12] > 0, wanted[32:44], 0)
    np.testing.assert_array_equal(fast.view(np.float32), wanted)


FUNCTIONS = {
    "exp": (math.exp, [*np.linspace(-50, 50, 301), -700.0, 700.0, 0.0]),
    "log": (math.log, [1e-300, 1e-9, 0.5, 0.99, 1.0, 1.01, 2.0, 3.7, 1e9, 1e300]),
    "tanh": (math.tanh, [*np.linspace(-3, 3, 301), 1e-9, -40.0, 40.0, 0.12499, 0.125]),
    "sin": (math.sin, [*np.linspace(-20, 20, 301), 511.0, 1000.0]),
    "normal": (lambda x: math.erfc(-x / 2**0.5) / 2, np.linspace(-10, 10, 801)),
    "cos": (math.cos, [*np.linspace(-20, 20, 301), 511.0, 1000.0]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_right_to_twelve_digits(page, modules, name):
    modules("learn/exact.js")
    function, points = FUNCTIONS[name]
    points = [float(x) for x in points]
    found = page.evaluate(f"(points) => points.map(exact{name.capitalize()})", points)
    found = [float(x) for x in found]  # whole numbers come as integers, of any size
    wanted = [function(x) for x in points]
    least = 0 if name in ("exp", "tanh") else 1e-12
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=least)


def test_functions_at_their_limits(page, modules):
    modules("learn/exact.js")
    assert page.evaluate(
        """() => [exactExp(1000), exactExp(-1000),
          exactExp(Infinity), exactExp(-Infinity),
          exactLog(0), exactLog(Infinity), exactTanh(Infinity), exactSigmoid(-1000),
          exactSigmoid(1000)].map(String)"""
    ) == ["Infinity", "0", "Infinity", "0", "-Infinity", "Infinity", "1", "0", "1"]
    assert (
        page.evaluate(
            "() => [exactExp, exactLog, exactTanh].map((f) => String(f(NaN)))"
        )
        == ["NaN"] * 3
    )


def test_random_numbers_are_those_of_their_papers(page, modules):
    """From the state 1, 2, 3, 4 the first words, which the algorithm says."""
    modules("learn/random.js")
    words = page.evaluate(
        """() => {
          const random = new Random(0);
          random.state.set([1, 2, 3, 4]);
          return [1, 2, 3, 4, 5, 6].map(() => random.word());
        }"""
    )
    assert words == xoshiro([1, 2, 3, 4], 6)


def xoshiro(s, count):
    """xoshiro128** of Blackman and Vigna (2018), with Python's integers."""

    def turn(x, k):
        return (x << k | x >> (32 - k)) & 0xFFFFFFFF

    words = []
    for _ in range(count):
        words.append(turn(s[1] * 5 & 0xFFFFFFFF, 7) * 9 & 0xFFFFFFFF)
        shifted = s[1] << 9 & 0xFFFFFFFF
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= shifted
        s[3] = turn(s[3], 11)
    return words


def test_a_model_that_does_not_fit_is_answered(page, modules):
    modules("learn/machine.js")
    said = page.evaluate(
        """() => {
          try {
            new Machine({ bytes: 65536 }).take(20000);
          } catch (error) {
            return error.message;
          }
        }"""
    )
    assert "does not fit" in said
