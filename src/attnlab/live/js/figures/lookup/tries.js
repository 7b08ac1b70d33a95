// Where the look-up starts, and what is worth a try.

export const START = {
  query: [
    [1.2, 1.6],
    [-1.0, -0.4],
  ],
  key: [
    [2.0, 1.0],
    [-0.5, 2.2],
    [-2.2, -0.6],
    [1.0, -2.0],
  ],
  value: [1, 3, 6, 10],
  temperature: 1,
  scale: true,
  mask: [
    [true, true, true, true],
    [true, true, true, true],
  ],
};

// Name, what is not as at the start, and what it shows.
export const LOOKUP_TRIES = [
  [
    "One value",
    {
      query: [
        [-1.5, 4],
        [-0.3, 0.8],
      ],
    },
    "Query 1 points where key 2 is ahead of all others, and it is long. "
      + "Query 2 points there, too, but it is short",
  ],
  [
    "Mean of two",
    {
      query: [
        [1.92, 4],
        [0.48, 1],
      ],
    },
    "Query 1 is long and at right angles to the line from key 1 to key 2, so that they tie",
  ],
  [
    "A zero query",
    {
      query: [
        [0, 0],
        [-1.0, -0.4],
      ],
    },
    "Query 1 is zero, so all its scores are 0",
  ],
  [
    "Nothing allowed",
    {
      mask: [
        [false, false, false, false],
        [true, true, true, true],
      ],
    },
    "The mask hides every key from query 1",
  ],
  [
    "A key worth 0",
    {
      query: [
        [1.5, -4],
        [-1.0, -0.4],
      ],
      value: [1, 3, 6, 0],
    },
    "Key 4 has the value 0, and query 1 looks there: an output of almost 0, without a mask",
  ],
  [
    "A key nobody finds",
    {
      query: [
        [-0.8, 3.6],
        [-1.0, -0.4],
      ],
      key: [
        [2.0, 1.0],
        [-0.5, 2.2],
        [-2.2, -0.6],
        [-0.2, 0.9],
      ],
    },
    "Query 1 points straight at key 4",
  ],
];
