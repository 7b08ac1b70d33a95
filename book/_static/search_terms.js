// Sphinx calls every hit among the terms "Glossary"; here each says which term it is. A
// result is [page, title, anchor, description, score, file].
Scorer.score = (result) => {
  const term = result[2].match(/^#term-(.+)/);
  if (term) result[3] = term[1].replaceAll("-", " ");
  return result[4];
};
