// exp, log, tanh, sigmoid, sin, cos and the normal distribution with the same bits everywhere.
// What Math.exp and its like return may differ by browser in the last digit; sums, products and
// quotients of double precision may not. Each is right to 10⁻¹³ or so, far beyond what a tensor
// keeps.

const LN2_HIGH = 0.6931471803691238; // its last 21 bits are 0: whole multiples are exact
const LN2_LOW = 1.9082149292705877e-10;
const HALF_PI_HIGH = 1.5707963267341256;
const HALF_PI_LOW = 6.077100506506192e-11;
const INVERSE_ROOT_TWO_PI = 0.3989422804014327;

// Powers of two by exponent, from −1074 on, made by products alone, which are exact here.
const MIN_EXPONENT = -1074;
const POWERS = new Float64Array(1024 - MIN_EXPONENT);
POWERS[-MIN_EXPONENT] = 1;
for (let n = 1; n < 1024; n++) POWERS[n - MIN_EXPONENT] = 2 * POWERS[n - 1 - MIN_EXPONENT];
for (let n = -1; n >= MIN_EXPONENT; n--) {
  POWERS[n - MIN_EXPONENT] = POWERS[n + 1 - MIN_EXPONENT] / 2;
}

/** e^x: 2^n e^r with |r| under 0.35, and a Taylor series for e^r. */
export function exactExp(x) {
  if (x > 709) return Infinity;
  if (!(x >= -708)) return x < -708 ? 0 : NaN;
  const n = Math.floor(x * 1.4426950408889634 + 0.5);
  const r = x - n * LN2_HIGH - n * LN2_LOW;
  let sum = 2.08767569878681e-9; // 1/12!
  sum = sum * r + 2.505210838544172e-8; // 1/11!, and so on
  sum = sum * r + 2.755731922398589e-7;
  sum = sum * r + 2.7557319223985893e-6;
  sum = sum * r + 2.48015873015873e-5;
  sum = sum * r + 1.984126984126984e-4;
  sum = sum * r + 1.388888888888889e-3;
  sum = sum * r + 8.333333333333333e-3;
  sum = sum * r + 4.1666666666666664e-2;
  sum = sum * r + 0.16666666666666666;
  sum = sum * r + 0.5;
  sum = sum * r + 1;
  return POWERS[n - MIN_EXPONENT] * (sum * r + 1);
}

/** The natural logarithm of a positive number: n ln 2 + 2 artanh((m − 1) / (m + 1)). */
export function exactLog(x) {
  if (!(x > 0) || x === Infinity) return x === 0 ? -Infinity : x > 0 ? x : NaN;
  let [m, n] = [x, 0];
  for (; m > 1.4142135623730951; n++) m /= 2;
  for (; m < 0.7071067811865476; n--) m *= 2;
  const s = (m - 1) / (m + 1);
  return n * LN2_HIGH + (n * LN2_LOW + 2 * s * polynomial(s * s, LOG_TERMS));
}

export function exactTanh(x) {
  const size = Math.abs(x);
  if (size < 0.125) return x * polynomial(x * x, TANH_TERMS);
  const shrunk = exactExp(-2 * size);
  const value = (1 - shrunk) / (1 + shrunk);
  return x < 0 ? -value : value;
}

/** 1 / (1 + e^−x). */
export function exactSigmoid(x) {
  return 1 / (1 + exactExp(-x));
}

/** The density of the normal distribution with mean 0 and variance 1. */
export function exactDensity(x) {
  return INVERSE_ROOT_TWO_PI * exactExp(-0.5 * x * x);
}

/** Φ(x), the probability that such a number lies below x: ½ (1 + erf(x / √2)). */
export function exactNormal(x) {
  const size = Math.abs(x);
  if (!(size < LARGEST_NORMAL)) return x > 0 ? 1 : x < 0 ? 0 : NaN;
  const nearest = Math.floor(size / NORMAL_STEP + 0.5);
  const value = polynomial(size - nearest * NORMAL_STEP, NORMAL_TERMS[nearest]);
  return x < 0 ? 1 - value : value;
}

export function exactSin(x) {
  return sinOfQuarterTurns(x, 0);
}

export function exactCos(x) {
  return sinOfQuarterTurns(x, 1);
}

// sin(x + quarters · π/2), for |x| up to some thousands.
function sinOfQuarterTurns(x, quarters) {
  const n = Math.floor(x / HALF_PI_HIGH + 0.5);
  const r = x - n * HALF_PI_HIGH - n * HALF_PI_LOW;
  const quadrant = (((n + quarters) % 4) + 4) % 4;
  const square = r * r;
  const value =
    quadrant % 2 === 0 ? r * polynomial(square, SIN_TERMS) : polynomial(square, COS_TERMS);
  return quadrant < 2 ? value : -value;
}

// The coefficients of Taylor series in x² (that of Φ in x), the first one first.
const LOG_TERMS = [1, 1 / 3, 1 / 5, 1 / 7, 1 / 9, 1 / 11, 1 / 13, 1 / 15, 1 / 17];
const TANH_TERMS = [1, -1 / 3, 2 / 15, -17 / 315, 62 / 2835, -1382 / 155925, 21844 / 6081075];
const SIN_TERMS = inverseFactorials(1);
const COS_TERMS = inverseFactorials(0);
const [LARGEST_NORMAL, NORMAL_STEP] = [8.5, 0.0625]; // beyond, Φ is 0 or 1 to 10⁻¹⁶
const NORMAL_TERMS = normalTerms();

// 1/first!, −1/(first + 2)!, 1/(first + 4)!, …
function inverseFactorials(first) {
  const terms = [1];
  for (let k = first + 2; k < 20; k += 2) terms.push(-terms.at(-1) / (k * (k - 1)));
  return terms;
}

// The series of Φ around each multiple z of the step: it begins with what the one before comes
// to there, and φ' = −x φ gives each term from the two before it (Marsaglia 2004).
function normalTerms() {
  const all = [];
  for (let z = 0; z <= LARGEST_NORMAL; z += NORMAL_STEP) {
    const terms = [all.length ? polynomial(NORMAL_STEP, all.at(-1)) : 0.5, exactDensity(z)];
    for (let n = 1; n < 9; n++) {
      terms.push(-(z * n * terms[n] + (n - 1) * terms[n - 1]) / (n * (n + 1)));
    }
    all.push(terms);
  }
  return all;
}

function polynomial(x, terms) {
  let sum = 0;
  for (let i = terms.length - 1; i >= 0; i--) sum = sum * x + terms[i];
  return sum;
}
