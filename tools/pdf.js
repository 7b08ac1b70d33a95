// What `tools.pdf` runs in a browser: take what each page of the book shows, and put all
// of them into the one page that is printed.

/** Reads to the end, so that figures and pictures which wait to be seen are there. */
export async function settle() {
  for (let y = 0; y < document.body.scrollHeight; y += innerHeight) {
    scrollTo({ top: y, behavior: "instant" });
    await new Promise((done) => setTimeout(done, 20));
  }
}

/**
 * Returns what the page shows as HTML, with `code` or without, and the styles that its
 * scripts have made. Ids get the page's name in front, so that those of different pages
 * differ; answers stand apart, to be printed at the end.
 */
export function take([name, code]) {
  const article = document.querySelector("article.bd-article");
  if (!code) article.querySelectorAll("details.fold").forEach((fold) => fold.remove());
  for (const part of article.querySelectorAll("details")) part.open = true;
  freeze(article);
  for (const node of article.querySelectorAll("*")) rename(node, name);
  article.id = name;
  const title = article.querySelector("h1").textContent;
  const answers = answersOf(article, name);
  if (answers.childElementCount) answers.prepend(element("h2", { textContent: title }));
  const made = [...document.querySelectorAll("style[data-attnlab]")];
  const css = made.map((style) => style.textContent).join("\n");
  return { html: article.outerHTML, css, title, answers: answers.innerHTML };
}

/** Puts all pages in the place of the one that is open. */
export function fill([pages, front, css]) {
  const styles = [...new Set(pages.map((page) => page.css)), css].join("\n");
  document.head.append(element("style", { textContent: styles }));
  const answers = pages.map((page) => page.answers).join("");
  const end = `<article class="bd-article" id="answers"><h1>Answers</h1>
    ${answers}</article>`;
  const body = pages.map((page) => page.html).join("");
  const article = document.querySelector("article.bd-article");
  article.outerHTML = front + body + (answers && end);
  document.title = document.title.split("—").at(-1).trim();
}

function element(tag, properties) {
  return Object.assign(document.createElement(tag), properties);
}

// What HTML does not say, a canvas and the state of controls, as it is now.
function freeze(article) {
  for (const canvas of article.querySelectorAll("canvas")) {
    const { className } = canvas;
    const picture = element("img", { src: canvas.toDataURL(), className, alt: "" });
    picture.style.cssText = canvas.style.cssText;
    canvas.replaceWith(picture);
  }
  for (const picture of article.querySelectorAll("img")) picture.loading = "eager";
  for (const input of article.querySelectorAll("input")) {
    input.setAttribute("value", input.value);
    input.toggleAttribute("checked", input.checked);
  }
  for (const option of article.querySelectorAll("option")) {
    option.toggleAttribute("selected", option.selected);
  }
  const unprinted = "script, .headerlink, .copybtn, .fold-all";
  for (const node of article.querySelectorAll(unprinted)) node.remove();
}

function rename(node, name) {
  const inside = (id) => `${name}--${id}`;
  const lists = ["for", "aria-labelledby", "aria-describedby", "aria-controls"];
  for (const { name: key, value } of [...node.attributes]) {
    if (key === "id") node.id = inside(value);
    else if (lists.includes(key)) {
      node.setAttribute(key, value.split(/\s+/).map(inside).join(" "));
    } else if (key.endsWith("href")) {
      const [, page, id] = value.match(/^(?:(\w+)\.html)?(?:#(.*))?$/) ?? [];
      if (page) node.setAttribute(key, id ? `#${page}--${id}` : `#${page}`);
      else if (id) node.setAttribute(key, `#${inside(id)}`);
      else if (!/^[a-z]+:/.test(value)) node.removeAttribute(key); // is not printed
    } else if (value.includes("url(#")) {
      node.setAttribute(key, value.replaceAll("url(#", `url(#${name}--`));
    }
  }
}

// A forecast's and an exercise's answers, each with a link in its place and one back.
function answersOf(article, name) {
  const answers = document.createElement("section");
  const putAway = (answer, asked) => {
    const number = answers.childElementCount + 1;
    const [id, end] = [`${name}--asked-${number}`, `${name}--answer-${number}`];
    const textContent = "The answer stands at the end.";
    answer.replaceWith(element("a", { id, href: `#${end}`, textContent }));
    const kept = element("div", { id: end });
    kept.append(element("a", { href: `#${id}`, textContent: asked }), answer);
    answers.append(kept);
  };
  for (const part of article.querySelectorAll(".fc-paper")) {
    putAway(part, part.parentElement.querySelector(".fc-question").textContent);
  }
  for (const part of article.querySelectorAll("details:not([class])")) {
    const summary = part.querySelector("summary").textContent.trim();
    if (/^(Solution|A good|What to)/.test(summary)) putAway(part, exerciseOf(part, summary));
  }
  return answers;
}

function exerciseOf(part, summary) {
  let asked = part.previousElementSibling;
  while (asked && !asked.querySelector("strong")) asked = asked.previousElementSibling;
  return asked ? `Exercise ${asked.querySelector("strong").textContent}` : summary;
}
