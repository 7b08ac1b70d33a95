"""What the page's own training computes with: products and exact functions."""

import base64
import json
import math
import re

import numpy as np
import pytest

from tools.kernels import BYTES_JS, kernels, source


def test_stored_wasm_kernels_equal_generated_ones():
    stored = BYTES_JS.read_text(encoding="ascii")
    assert stored == source()
    assert base64.b64decode("".join(re.findall(r'"([\w+/=]+)"', stored))) == kernels()
    assert len(kernels()) < 10_000


# The memory's bits after a product.
RUN = """({ simd, call, numbers }) => {
  const machine = new Machine({ simd, bytes: 1 << 20 });
  if (machine.simd !== simd) throw new Error("not what was asked for");
  machine.numbers.set(numbers);
  machine.kernels.product(...call);
  return JSON.stringify([...new Int32Array(machine.numbers.buffer, 0, numbers.length)]);
}"""


@pytest.mark.parametrize("more", [False, True])
@pytest.mark.parametrize(
    "sizes",
    [(1, 1, 1), (4, 8, 3), (5, 13, 7), (3, 4, 16), (9, 23, 5), (2, 7, 0)],
    ids=str,
)
@pytest.mark.parametrize("turned", [False, True], ids=["", "A turned"])
def test_wasm_products_equal_plain_kernels_bitwise(page, modules, sizes, turned, more):
    modules("learn/machine.js")
    rows, columns, terms = sizes
    draw = np.random.default_rng(0)
    numbers = draw.normal(size=1200).astype(np.float32)
    a, b, c = 0, 300, 700
    strides = (1, rows) if turned else (terms + 2, 1)
    matrices = (a, *strides, b, columns + 3, c, columns)
    given = {"call": [*sizes, *matrices, more], "numbers": numbers.tolist()}
    fast, plain = (
        np.array(json.loads(page.evaluate(RUN, {**given, "simd": simd})), np.int32)
        for simd in (True, False)
    )
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


REFERENCE_FUNCTIONS = {
    "exp": (math.exp, [*np.linspace(-50, 50, 301), -700.0, 700.0, 0.0]),
    "log": (math.log, [1e-300, 1e-9, 0.5, 0.99, 1.0, 1.01, 2.0, 3.7, 1e9, 1e300]),
    "tanh": (math.tanh, [*np.linspace(-3, 3, 301), 1e-9, -40.0, 40.0, 0.12499, 0.125]),
    "sin": (math.sin, [*np.linspace(-20, 20, 301), 511.0, 1000.0]),
    "normal": (lambda x: math.erfc(-x / 2**0.5) / 2, np.linspace(-10, 10, 801)),
    "cos": (math.cos, [*np.linspace(-20, 20, 301), 511.0, 1000.0]),
}


@pytest.mark.parametrize("name", REFERENCE_FUNCTIONS)
def test_exact_functions_have_twelve_digits(page, modules, name):
    modules("learn/exact.js")
    function, points = REFERENCE_FUNCTIONS[name]
    points = [float(x) for x in points]
    found = page.evaluate(f"(points) => points.map(exact{name.capitalize()})", points)
    found = [float(x) for x in found]  # whole numbers come as integers, of any size
    wanted = [function(x) for x in points]
    least = 0 if name in ("exp", "tanh") else 1e-12
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=least)


def test_exact_functions_at_their_limits(page, modules):
    modules("learn/exact.js")
    found = page.evaluate(
        """() => [exactExp(1000), exactExp(-1000), exactExp(-Infinity), exactLog(0),
          exactTanh(Infinity), exactSigmoid(-1000), exactExp(NaN), exactTanh(NaN),
          exactLog(NaN)].map(String).join(" ")"""
    )
    assert found == "Infinity 0 0 -Infinity 1 0 NaN NaN NaN"


def test_machine_without_memory_reports_error(page, modules):
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
