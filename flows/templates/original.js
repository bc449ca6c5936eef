"use strict";
// The original beside the fields: fetched when it is wanted first, a PDF's pages as they come into view.
const link = document.getElementById("view");
const view = link && document.createElement("button");
const pane = document.getElementById("original-view");
const told = document.getElementById("view-told");
const KEPT = "assay-view";

function remembered() {
  try { return sessionStorage.getItem(KEPT); } catch { return null; }
}

function remember(value) {
  try { sessionStorage.setItem(KEPT, value); } catch { /* a browser that keeps nothing */ }
}

function namesOf(page) { return page.dataset.spans ? page.dataset.spans.split(" ").map((one) => one.split(":")) : []; }

// The boxes of a page's spans, laid over its picture; asked for once.
async function drawBoxes(page) {
  const wanted = namesOf(page).slice(0, 500);
  if (page.dataset.boxes || !wanted.length) return;
  page.dataset.boxes = "asked";
  const address = page.closest("#original").dataset.place;
  const spans = wanted.map(([, span]) => span).join(",");
  const answer = await fetch(`${address}/page/${page.dataset.page}.json?spans=${spans}`);
  if (!answer.ok) return;
  const sheet = page.querySelector(".sheet");
  const found = await answer.json();
  found.forEach((boxes, number) => boxes.forEach((box) => sheet.append(marked(wanted[number][0], box))));
  page.dataset.boxes = "drawn";
  if (!view || active < 0) return;
  const first = paint();
  if (first && page.contains(first)) bring(first);
}

// Boxes are in ten-thousandths of the page.
function marked(name, [left, top, right, bottom]) {
  const mark = document.createElement("mark");
  mark.className = "box";
  mark.dataset.places = name;
  const sides = { left, top, width: right - left, height: bottom - top };
  for (const [side, share] of Object.entries(sides)) mark.style[side] = `${share / 100}%`;
  return mark;
}

async function inWords(image) {
  const page = image.closest(".page");
  page.classList.add("broken");
  page.querySelector(".told").textContent = await (await fetch(image.src)).text();
}

function watch(root) {
  const seen = new IntersectionObserver((entries) => {
    for (const one of entries) if (one.isIntersecting) drawBoxes(one.target);
  });
  for (const page of root.querySelectorAll(".page")) {
    seen.observe(page);
    const image = page.querySelector("img");
    image.addEventListener("error", () => inWords(image));
  }
}

async function fill() {
  told.textContent = "loading";
  const page = new DOMParser().parseFromString(await (await fetch(link.href)).text(), "text/html");
  pane.replaceChildren(document.adoptNode(page.getElementById("original") || page.querySelector("main")));
  watch(pane);
}

async function turn(toOriginal) {
  remember(toOriginal ? "original" : "text");
  if (toOriginal && !pane.firstChild) {
    try { await fill(); } catch (error) { told.textContent = `It could not be loaded: ${error.message}`; return; }
  }
  pane.hidden = !toOriginal;
  source.hidden = toOriginal;
  view.textContent = toOriginal ? "Text as read" : "The original";
  told.textContent = toOriginal ? "The original is shown." : "The text as read is shown.";
  document.body.dataset.view = toOriginal ? "original" : "text";
  if (active >= 0) light(active, place);
}

if (view) {
  view.id = link.id;
  view.textContent = link.textContent;
  link.replaceWith(view);
  view.addEventListener("click", () => turn(pane.hidden));
  document.addEventListener("lit", (event) => {
    if (pane.hidden) return;
    const page = [...pane.querySelectorAll(".page")].find((one) => namesOf(one).some(([name]) => name === event.detail));
    if (page && !page.querySelector("mark.here")) bring(page);
    if (page) drawBoxes(page);
  });
  if (remembered() === "original") turn(true);
} else {
  watch(document);
}
