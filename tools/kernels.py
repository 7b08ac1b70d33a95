"""What takes most time in the page's own training, in WebAssembly.

    python -m tools.kernels     # writes live/js/learn/bytes.js

`live/js/learn/plain.js` has the same in JavaScript, with the same bits: every element
of a product is a sum that begins with 0, or with what stood there, and takes its terms
in their order, each product and each sum rounded to single precision. Four neighbours
are computed side by side, which changes none of them.
"""

import base64
from collections.abc import Callable

from attnlab.live.bundle import JS
from tools.wasm import (
    ZEROS,
    add,
    count_down,
    f32_above,
    f32_add,
    f32_and,
    f32_max,
    f32_multiply,
    function,
    i32,
    i32_ge,
    load1,
    load4,
    local_get,
    local_set,
    module,
    multiply,
    repeat_while,
    select,
    spread,
    store1,
    store4,
    subtract,
)

BYTES_JS = JS / "learn" / "bytes.js"
HEADER = """\
// The WebAssembly of tools/kernels.py, which writes this file: {size} bytes.
export const KERNELS =
"""

# The parameters of `product`, in this order, as the locals that they are. Addresses and
# strides are in bytes.
PARAMS = ROWS, COLUMNS, TERMS, A, A_ROW, A_TERM, B, B_TERM, C, C_ROW, ACCUMULATE = (
    range(11)
)
COLUMNS_LEFT, ROWS_LEFT, TERMS_LEFT, A_TILE, C_TILE, A_AT, B_AT = range(11, 18)
A_ROW_2, A_ROW_3 = 18, 19  # twice and three times A_ROW
SUMS = range(20, 28)  # vectors: two of each of four rows
B_NOW = 28, 29
A_NOW = 30


def product_kernel() -> tuple[int, bytes]:
    """C = A B, or C += A B if `more`: A (rows, terms), B (terms, columns).

    Of A both strides are free, so that it may lie transposed; neighbours in a row of B
    and of C are neighbours in memory. Columns are taken by eight, by four and one by
    one, and of each such strip the rows by four and one by one: the sums of such a tile
    stay in the processor's registers.
    """
    double = add(local_get(A_ROW), local_get(A_ROW))
    setup = local_set(A_ROW_2, double) + local_set(
        A_ROW_3, add(local_get(A_ROW_2), local_get(A_ROW))
    )
    strips = b"".join(
        repeat_while(i32_ge(local_get(COLUMNS_LEFT), i32(width)), _strip(width))
        for width in (8, 4, 1)
    )
    body = setup + local_set(COLUMNS_LEFT, local_get(COLUMNS)) + strips
    return function(len(PARAMS), A_ROW_3 - ACCUMULATE, A_NOW - A_ROW_3, body)


def _strip(width: int) -> bytes:
    """Return all rows of so many columns, and on to the next columns."""
    tiles = b"".join(
        repeat_while(i32_ge(local_get(ROWS_LEFT), i32(rows)), _tile(rows, width))
        for rows in (4, 1)
    )
    return (
        local_set(ROWS_LEFT, local_get(ROWS))
        + local_set(A_TILE, local_get(A))
        + local_set(C_TILE, local_get(C))
        + tiles
        + local_set(B, add(local_get(B), i32(4 * width)))
        + local_set(C, add(local_get(C), i32(4 * width)))
        + local_set(COLUMNS_LEFT, subtract(local_get(COLUMNS_LEFT), i32(width)))
    )


def _tile(rows: int, width: int) -> bytes:
    """Return the sums of a tile, and on to the rows below it."""
    load, store = (load1, store1) if width == 1 else (load4, store4)
    parts = range(2 if width == 8 else 1)  # of a row, four columns each
    cells = [(row, part, SUMS[2 * row + part]) for row in range(rows) for part in parts]

    def place(row: int) -> bytes:
        return add(local_get(C_TILE), multiply(local_get(C_ROW), i32(row)))

    first = [
        local_set(
            total, select(local_get(ACCUMULATE), load(place(row), 16 * part), ZEROS)
        )
        for row, part, total in cells
    ]
    last = [
        store(place(row), local_get(total), 16 * part) for row, part, total in cells
    ]
    return (
        b"".join(first)
        + local_set(A_AT, local_get(A_TILE))
        + local_set(B_AT, local_get(B))
        + local_set(TERMS_LEFT, local_get(TERMS))
        + count_down(TERMS_LEFT, _term(rows, parts, load))
        + b"".join(last)
        + local_set(
            A_TILE, add(local_get(A_TILE), multiply(local_get(A_ROW), i32(rows)))
        )
        + local_set(
            C_TILE, add(local_get(C_TILE), multiply(local_get(C_ROW), i32(rows)))
        )
        + local_set(ROWS_LEFT, subtract(local_get(ROWS_LEFT), i32(rows)))
    )


def _term(rows: int, parts: range, load: Callable[..., bytes]) -> bytes:
    """Add one term to all sums of a tile."""
    code = b"".join(
        local_set(B_NOW[part], load(local_get(B_AT), 16 * part)) for part in parts
    )
    below = b"", local_get(A_ROW), local_get(A_ROW_2), local_get(A_ROW_3)
    for row in range(rows):
        a = add(local_get(A_AT), below[row]) if row else local_get(A_AT)
        code += local_set(A_NOW, spread(a))
        for part in parts:
            total = SUMS[2 * row + part]
            term = f32_multiply(local_get(A_NOW), local_get(B_NOW[part]))
            code += local_set(total, f32_add(local_get(total), term))
    return (
        code
        + local_set(A_AT, add(local_get(A_AT), local_get(A_TERM)))
        + local_set(B_AT, add(local_get(B_AT), local_get(B_TERM)))
    )


def elementwise(sources: int, value: Callable[..., bytes]) -> tuple[int, bytes]:
    """For each of `count` quadruples: what stands at `to` becomes `value` of it.

    The function's parameters are `count`, the places of the sources, and `to`. `value`
    is given what stands at each of them, `to` the last.
    """
    places = range(1, sources + 2)
    *_, to = places
    result = value(*(load4(local_get(place)) for place in places))
    on = b"".join(local_set(place, add(local_get(place), i32(16))) for place in places)
    return function(
        len(places) + 1, 0, 0, count_down(0, store4(local_get(to), result) + on)
    )


def kernels() -> bytes:
    """Return the module: what it exports has the names of `live/js/learn/plain.js`."""
    return module(
        {
            "product": product_kernel(),
            "addTo": elementwise(1, f32_add),
            "relu": elementwise(1, lambda x, _: f32_max(x, ZEROS)),
            "addWherePositive": elementwise(
                2, lambda sign, x, to: f32_add(to, f32_and(x, f32_above(sign, ZEROS)))
            ),
        }
    )


def source() -> str:
    """Return the text of `live/js/learn/bytes.js`."""
    code = kernels()
    text = base64.b64encode(code).decode("ascii")
    lines = [text[at : at + 88] for at in range(0, len(text), 88)]
    quoted = "\n  + ".join(f'"{line}"' for line in lines)
    return f"{HEADER.format(size=len(code))}  {quoted};\n"


if __name__ == "__main__":
    BYTES_JS.write_text(source(), encoding="ascii")
