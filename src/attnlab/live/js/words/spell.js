// Numbers in words, as tokens, in five languages: the same tokens as the Python
// package attnlab.data makes (tests/live/test_spell.py compares them).
//
// Each language yields its tokens in order, each with what it names: "d3" is the digit
// at place 3 (place 0 are the units), "p3" the power 10³. Words such as "and" name
// nothing. Two tokens of two languages that name the same are linked.

export const LARGEST_NUMBER = 999999999999;

// The tokens of a number: numberTokens(24, "de") is ["vier", "und", "zwan", "zig"].
export function numberTokens(number, language) {
  return spellSpeech(number, language).map(([token]) => token);
}

// The known alignment, as [target index, source index] links.
export function goldLinks(number, source, target) {
  const sourceSpeech = spellSpeech(number, source);
  return spellSpeech(number, target).flatMap(([, targetNames], t) =>
    sourceSpeech.flatMap(([, sourceNames], s) =>
      targetNames.some((name) => sourceNames.includes(name)) ? [[t, s]] : [],
    ),
  );
}

// Join tokens into text, with the spaces, hyphens and commas of the language.
export function detokenize(tokens, language) {
  const joint = spellLookUp(SPELL_JOINTS, language);
  let text = "";
  tokens.forEach((token, i) => {
    text += (i > 0 ? joint(tokens[i - 1], token, tokens[i - 2]) : "") + token;
  });
  return text;
}

// Read what somebody typed: {number} or {error}, a sentence that says what is wrong.
export function parseNumber(text, largest = LARGEST_NUMBER) {
  const typed = String(text).normalize("NFKC").trim();
  const shown = typed.length > 24 ? `${typed.slice(0, 24)}…` : typed;
  if (typed === "") return { error: "Please type a whole number, such as 4786." };
  if (/^[-−–]\s*[\d.,]/.test(typed)) {
    return { error: `${shown} is negative. Please type a whole number from 0 up.` };
  }
  // Digits in groups of three may be set apart: 91 234 567, 91,234,567, 91'234'567.
  const grouped = /^\d{1,3}([ ,'’_])\d{3}(\1\d{3})*$/.test(typed);
  const digits = grouped ? typed.replace(/\D/g, "") : typed;
  if (/^(\d+[.,]\d*|[.,]\d+)$/.test(digits)) {
    return { error: `${shown} is not whole. Please type digits alone, such as 4786.` };
  }
  if (!/^\d+$/.test(digits)) {
    return { error: `“${shown}” is not a number. Please type digits, such as 4786.` };
  }
  if (Number(digits) > largest) {
    const spaced = String(largest).replace(/\B(?=(\d{3})+$)/g, " ");
    return { error: `${shown} is too large. The largest here is ${spaced}.` };
  }
  return { number: Number(digits) };
}

// The tokens of a number with what they name: a list of [token, names].
export function spellSpeech(number, language) {
  const speaker = spellLookUp(SPELL_SPEAKERS, language);
  if (!Number.isInteger(number) || number < 0 || number > LARGEST_NUMBER) {
    throw new RangeError(`expected a whole number from 0 to ${LARGEST_NUMBER}: ${number}`);
  }
  if (number === 0) return [[SPELL_ZEROS[language], ["d0"]]];
  return [...speaker(number)].filter(([token]) => token !== "");
}

function spellLookUp(table, language) {
  if (!Object.hasOwn(table, language)) {
    const known = Object.keys(table).join(", ");
    throw new RangeError(`unknown language ${language}: expected one of ${known}`);
  }
  return table[language];
}

function spellWords(text) {
  return text.split(" ");
}

// Groups of three digits with their power of ten, the largest first, without zeros.
function* spellThrees(number) {
  for (const p of [9, 6, 3, 0]) {
    const value = Math.floor(number / 10 ** p) % 1000;
    const hundreds = Math.floor(value / 100);
    const rest = value % 100;
    const [tens, units] = [Math.floor(rest / 10), rest % 10];
    if (value > 0) yield { p, value, hundreds, rest, tens, units };
  }
}

// What a token can name.
const spellDigit = (place) => [`d${place}`];
const spellPower = (exponent) => [`p${exponent}`];
const spellBoth = (place) => [`d${place}`, `p${place}`];
const spellTeen = (place) => [...spellBoth(place + 1), `d${place}`];

const SPELL_ZEROS = { en: "zero", de: "null", fr: "zéro", da: "nul", ja: "零" };

// A leading space leaves place 0 empty, so that SPELL_EN[3] is three.
const SPELL_EN = spellWords(
  " one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    + "fifteen sixteen seventeen eighteen nineteen",
);
const SPELL_EN_TENS = spellWords("  twenty thirty forty fifty sixty seventy eighty ninety");
const SPELL_EN_POWERS = { 3: "thousand", 6: "million", 9: "billion" };

function* spellEnglish(number) {
  for (const { p, hundreds, rest, tens, units } of spellThrees(number)) {
    if (hundreds) {
      yield [SPELL_EN[hundreds], spellDigit(p + 2)];
      yield ["hundred", spellPower(p + 2)];
    }
    if (rest && (hundreds || (p === 0 && number > rest))) yield ["and", []];
    if (tens === 1) {
      yield [SPELL_EN[rest], units ? spellTeen(p) : spellBoth(p + 1)];
    } else {
      yield [SPELL_EN_TENS[tens], spellBoth(p + 1)];
      yield [SPELL_EN[units], spellDigit(p)];
    }
    if (p) yield [SPELL_EN_POWERS[p], spellPower(p)];
  }
}

const SPELL_DE = spellWords(" ein zwei drei vier fünf sechs sieben acht neun");
const SPELL_DE_STEMS = spellWords("  zwan drei vier fünf sech sieb acht neun");
const SPELL_DE_ONE = { 0: "eins", 3: "ein", 6: "eine", 9: "eine" };
const SPELL_DE_POWERS = {
  3: ["tausend", "tausend"],
  6: ["Million", "Millionen"],
  9: ["Milliarde", "Milliarden"],
};

function* spellGerman(number) {
  for (const { p, value, hundreds, rest, tens, units } of spellThrees(number)) {
    if (hundreds) {
      yield [SPELL_DE[hundreds], spellDigit(p + 2)];
      yield ["hundert", spellPower(p + 2)];
    }
    if (tens === 0) {
      yield [units === 1 ? SPELL_DE_ONE[p] : SPELL_DE[units], spellDigit(p)];
    } else if (rest === 11 || rest === 12) {
      yield [rest === 11 ? "elf" : "zwölf", spellTeen(p)];
    } else if (tens === 1) {
      yield [SPELL_DE_STEMS[units], spellDigit(p)];
      yield ["zehn", spellBoth(p + 1)];
    } else {
      yield [SPELL_DE[units], spellDigit(p)];
      yield [units ? "und" : "", []];
      yield [SPELL_DE_STEMS[tens], spellDigit(p + 1)];
      yield [tens === 3 ? "ßig" : "zig", spellPower(p + 1)];
    }
    if (p) yield [SPELL_DE_POWERS[p][value > 1 ? 1 : 0], spellPower(p)];
  }
}

const SPELL_FR = spellWords(
  " un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze " + "seize",
);
const SPELL_FR_TENS = spellWords("  vingt trente quarante cinquante soixante soixante");
const SPELL_FR_POWERS = {
  3: ["mille", "mille"],
  6: ["million", "millions"],
  9: ["milliard", "milliards"],
};

function* spellFrench(number) {
  for (const { p, value, hundreds, rest } of spellThrees(number)) {
    if (p === 3 && value === 1) {
      yield ["mille", spellBoth(3)];
      continue;
    }
    if (hundreds === 1) {
      yield ["cent", spellBoth(p + 2)];
    } else if (hundreds) {
      yield [SPELL_FR[hundreds], spellDigit(p + 2)];
      yield [rest === 0 && p !== 3 ? "cents" : "cent", spellPower(p + 2)];
    }
    yield* spellFrenchBelowHundred(rest, p);
    if (p) yield [SPELL_FR_POWERS[p][value > 1 ? 1 : 0], spellPower(p)];
  }
}

function* spellFrenchBelowHundred(rest, p) {
  const [tens, units] = [Math.floor(rest / 10), rest % 10];
  if (tens >= 8) {
    // 4 × 20, and up to 19 more
    yield ["quatre", spellBoth(p + 1)];
    yield [rest === 80 && p !== 3 ? "vingts" : "vingt", spellBoth(p + 1)];
    yield* spellFrenchBelowTwenty(rest - 80, p);
  } else if (tens >= 2) {
    // 70 is 60 and 10
    yield [SPELL_FR_TENS[tens], spellBoth(p + 1)];
    yield [units === 1 ? "et" : "", []];
    yield* spellFrenchBelowTwenty(tens === 7 ? rest - 60 : units, p);
  } else {
    yield* spellFrenchBelowTwenty(rest, p);
  }
}

function* spellFrenchBelowTwenty(rest, p) {
  if (rest < 10) {
    yield [SPELL_FR[rest], spellDigit(p)];
  } else if (rest > 10 && rest < 17) {
    yield [SPELL_FR[rest], spellTeen(p)];
  } else {
    yield ["dix", spellBoth(p + 1)];
    yield [SPELL_FR[rest - 10], spellDigit(p)];
  }
}

const SPELL_DA = spellWords(
  " et to tre fire fem seks syv otte ni ti elleve tolv tretten fjorten femten seksten "
    + "sytten atten nitten",
);
const SPELL_DA_TENS = spellWords("  tyve tredive fyrre halvtreds tres halvfjerds firs halvfems");
const SPELL_DA_POWERS = {
  3: ["tusind", "tusind"],
  6: ["million", "millioner"],
  9: ["milliard", "milliarder"],
};

function* spellDanish(number) {
  for (const { p, value, hundreds, rest, tens, units } of spellThrees(number)) {
    if (hundreds) {
      yield [SPELL_DA[hundreds], spellDigit(p + 2)];
      yield ["hundrede", spellPower(p + 2)];
    }
    const afterThousand = p === 0 && number % 10 ** 6 > value;
    if (rest && (hundreds || afterThousand)) yield ["og", []];
    if (tens === 0) {
      yield [value === 1 && p >= 6 ? "en" : SPELL_DA[units], spellDigit(p)];
    } else if (tens === 1) {
      yield [SPELL_DA[rest], units ? spellTeen(p) : spellBoth(p + 1)];
    } else {
      yield [units === 1 ? "en" : SPELL_DA[units], spellDigit(p)];
      yield [units ? "og" : "", []];
      yield [SPELL_DA_TENS[tens], spellBoth(p + 1)];
    }
    if (p) yield [SPELL_DA_POWERS[p][value > 1 ? 1 : 0], spellPower(p)];
  }
}

const SPELL_JA = ["", ..."一二三四五六七八九"];
const SPELL_JA_POWERS = { 1: "十", 2: "百", 3: "千", 4: "万", 8: "億" };

function* spellJapanese(number) {
  for (const p of [8, 4, 0]) {
    const value = Math.floor(number / 10 ** p) % 10000;
    for (const place of [3, 2, 1]) {
      const digit = Math.floor(value / 10 ** place) % 10;
      if (digit === 1) {
        yield [SPELL_JA_POWERS[place], spellBoth(p + place)];
      } else if (digit) {
        yield [SPELL_JA[digit], spellDigit(p + place)];
        yield [SPELL_JA_POWERS[place], spellPower(p + place)];
      }
    }
    yield [SPELL_JA[value % 10], spellDigit(p)];
    if (p && value) yield [SPELL_JA_POWERS[p], spellPower(p)];
  }
}

const SPELL_SPEAKERS = {
  en: spellEnglish,
  de: spellGerman,
  fr: spellFrench,
  da: spellDanish,
  ja: spellJapanese,
};

// What stands between two tokens; `earlier` is the token before the left one.
const SPELL_JOINTS = {
  en(left, right) {
    const units = SPELL_EN.slice(1, 10);
    if (left !== "" && SPELL_EN_TENS.includes(left) && units.includes(right)) return "-";
    const power = Object.values(SPELL_EN_POWERS).includes(left);
    return power && right !== "and" ? ", " : " ";
  },
  de(left, right) {
    return left.startsWith("Mill") || right.startsWith("Mill") ? " " : "";
  },
  fr(left, right) {
    const afterTens = SPELL_FR_TENS.includes(left) && SPELL_FR.includes(right);
    const afterTen = left === "dix" && ["sept", "huit", "neuf"].includes(right);
    const fourScore = left === "quatre" && ["vingt", "vingts"].includes(right);
    return afterTens || afterTen || fourScore ? "-" : " ";
  },
  da(left, right, earlier) {
    if (left.startsWith("mill") || right.startsWith("mill")) return " ";
    if (left === "tusind") return "e ";
    // hundrede og to, but toogtyve: the og between units and tens has no spaces.
    const afterOg = left === "og" && ["hundrede", "tusind"].includes(earlier);
    return afterOg || (left === "hundrede" && right === "og") ? " " : "";
  },
  ja() {
    return "";
  },
};
