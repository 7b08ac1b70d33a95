"""What is particular to the exercises of chapter 6."""


def test_a_count_may_be_a_float(said):
    assert ": right" in said("6.1", 180.0)


def test_a_search_finds_the_crossing_as_well_as_a_formula(said):
    def by_search(d, gates):
        def dearer(n):
            return 8 * n * d**2 + 4 * n**2 * d > 4 * gates * n * d**2

        return next(n for n in range(10_000) if dearer(n + 1))

    assert ": right" in said("6.4", by_search)


def test_counting_pairs_one_by_one_is_right_too(said):
    def by_counting(n, radius):
        return sum(abs(i - j) <= radius for i in range(n) for j in range(n))

    assert ": right" in said("6.7", by_counting)
