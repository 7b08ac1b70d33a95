// Sphinx calls every hit among the terms "Glossary", and every name of the package by its
// page; here each says which it is. A result is [page, title, anchor, description, score,
// file].
Scorer.score = (result) => {
  const term = result[2].match(/^#term-(.+)/);
  const name = result[2].match(/^#(?:module-)?(attnlab\..+)/);
  if (term) result[3] = term[1].replaceAll("-", " ");
  else if (name && !result[3]) result[3] = name[1];
  return result[4];
};
