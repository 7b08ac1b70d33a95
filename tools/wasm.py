"""A small assembler of WebAssembly: expressions are bytes, put together by functions.

    add(get(0), i32(4))        # local 0 plus 4

It knows what `tools.kernels` needs: integers for counting and addresses, single
precision numbers one by one and by four (128-bit SIMD, none of it "relaxed", so that
every processor gives the same bits). The encoding is that of the WebAssembly core
specification 2.0, chapter 5.
"""

I32, V128 = 0x7F, 0x7B
_VOID = 0x40  # a block that leaves nothing on the stack


def leb(number: int) -> bytes:
    """Return a whole number from 0 up in as many bytes as it needs (LEB128)."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def vector_of(items: list[bytes]) -> bytes:
    """Return a vector of the format: how many there are, then each."""
    return leb(len(items)) + b"".join(items)


def _sized(contents: bytes) -> bytes:
    return leb(len(contents)) + contents


# Expressions: what they leave on the stack is their value. ----------------------------


def local_get(local: int) -> bytes:
    return b"\x20" + leb(local)


def local_set(local: int, value: bytes) -> bytes:
    return value + b"\x21" + leb(local)


def i32(number: int) -> bytes:
    """Return a constant from 0 to 63; another number raises ValueError."""
    if not 0 <= number < 64:  # the format's signed numbers end here in one byte
        raise ValueError(f"expected a constant from 0 to 63, got {number}")
    return bytes([0x41, number])


def add(left: bytes, right: bytes) -> bytes:
    return left + right + b"\x6a"


def subtract(left: bytes, right: bytes) -> bytes:
    return left + right + b"\x6b"


def multiply(left: bytes, right: bytes) -> bytes:
    return left + right + b"\x6c"


def i32_ge(left: bytes, right: bytes) -> bytes:
    """Return whether left ≥ right, both as signed integers."""
    return left + right + b"\x4e"


def select(condition: bytes, if_true: bytes, if_false: bytes) -> bytes:
    """`if_true` or `if_false`; both are computed."""
    return if_true + if_false + condition + b"\x1b"


def repeat_while(condition: bytes, body: bytes) -> bytes:
    """block loop (leave unless condition) body (again) end end."""
    leave = condition + b"\x45\x0d\x01"  # i32.eqz, br_if 1
    return bytes([2, _VOID, 3, _VOID]) + leave + body + b"\x0c\x00\x0b\x0b"


def count_down(local: int, body: bytes) -> bytes:
    """Do the body as often as the local says, which is 0 afterwards."""
    one_less = local_get(local) + i32(1) + b"\x6b\x22" + leb(local)  # sub, tee
    skip = local_get(local) + b"\x45\x0d\x00"
    again = one_less + b"\x0d\x00"
    return bytes([2, _VOID]) + skip + bytes([3, _VOID]) + body + again + b"\x0b\x0b"


# Numbers in single precision: four side by side in a v128, or one in its first lane. --


def _simd(code: int) -> bytes:
    return b"\xfd" + leb(code)


ZEROS = _simd(12) + bytes(16)


def load4(address: bytes, offset: int = 0) -> bytes:
    """Four numbers in a row."""
    return address + _simd(0) + b"\x00" + leb(offset)


def load1(address: bytes, offset: int = 0) -> bytes:
    """One number, and zeros."""
    return address + _simd(92) + b"\x00" + leb(offset)


def spread(address: bytes, offset: int = 0) -> bytes:
    """One number four times."""
    return address + _simd(9) + b"\x00" + leb(offset)


def store4(address: bytes, value: bytes, offset: int = 0) -> bytes:
    return address + value + _simd(11) + b"\x00" + leb(offset)


def store1(address: bytes, value: bytes, offset: int = 0) -> bytes:
    """Return the first lane."""
    return address + value + _simd(90) + b"\x00" + leb(offset) + b"\x00"


def f32_add(left: bytes, right: bytes) -> bytes:
    return left + right + _simd(228)


def f32_multiply(left: bytes, right: bytes) -> bytes:
    return left + right + _simd(230)


def f32_max(left: bytes, right: bytes) -> bytes:
    return left + right + _simd(233)


def f32_above(left: bytes, right: bytes) -> bytes:
    """Return all bits 1 where left > right, 0 elsewhere."""
    return left + right + _simd(68)


def f32_and(left: bytes, right: bytes) -> bytes:
    """Bit by bit, left and right."""
    return left + right + _simd(78)


# Modules. -----------------------------------------------------------------------------


def function(
    params: int, counters: int, vectors: int, body: bytes
) -> tuple[int, bytes]:
    """A function of `params` integers, with more integers and vectors as its locals.

    Returns:
        How many parameters it has, and its code.
    """
    locals_ = vector_of([leb(counters) + bytes([I32]), leb(vectors) + bytes([V128])])
    return params, _sized(locals_ + body + b"\x0b")


def module(functions: dict[str, tuple[int, bytes]]) -> bytes:
    """The bytes of a module that imports the memory `env.memory` and exports these."""
    types = [
        b"\x60" + vector_of([bytes([I32])] * n) + b"\x00" for n, _ in functions.values()
    ]
    memory = _sized(b"env") + _sized(b"memory") + b"\x02\x00\x01"  # at least one page
    exports = [
        _sized(name.encode()) + b"\x00" + leb(number)
        for number, name in enumerate(functions)
    ]
    sections = {
        1: vector_of(types),
        2: vector_of([memory]),
        3: vector_of([leb(number) for number in range(len(functions))]),
        7: vector_of(exports),
        10: vector_of([code for _, code in functions.values()]),
    }
    return b"\x00asm\x01\x00\x00\x00" + b"".join(
        bytes([number]) + _sized(contents) for number, contents in sections.items()
    )
