"use strict";
// One field is active at a time: its spans are lit in the source, and the keys work on it.
const cards = [...document.querySelectorAll(".card")];
const source = document.getElementById("source");
const original = document.getElementById("original-view");
let active = -1;
let place = 0;
let asked = 0;

function placesOf(mark) { return mark.dataset.places.split(" "); }

// Colours the marks of the active field; the first one of its chosen place that can be seen.
function paint() {
  let first = null;
  for (const mark of document.querySelectorAll("mark")) {
    const names = placesOf(mark);
    const here = names.includes(`${active}.${place}`);
    mark.classList.toggle("lit", names.some((name) => name.startsWith(`${active}.`)));
    mark.classList.toggle("here", here);
    if (here && first === null && mark.offsetParent !== null) first = mark;
  }
  return first;
}

function light(card, chosen) {
  active = card;
  place = chosen;
  cards.forEach((one, number) => one.classList.toggle("active", number === card));
  const first = paint();
  tell();
  if (first) first.scrollIntoView({ block: "center" });
  if (cards[card]) cards[card].scrollIntoView({ block: "nearest" });
  document.dispatchEvent(new CustomEvent("lit", { detail: `${card}.${chosen}` }));
}

// What lit up, in words, for who cannot see it.
function tell() {
  const count = Number(cards[active] ? cards[active].dataset.count : 0);
  const text = [...source.querySelectorAll("mark.here")].map((one) => one.textContent).join("");
  const where = count ? `Place ${place + 1} of ${count}: ${text}` : "No place in the source.";
  document.getElementById("place-told").textContent = cards[active] ? where : "";
}

function step(by, wanted) {
  for (let at = active + by; at >= 0 && at < cards.length; at += by) {
    if (wanted(cards[at])) return light(at, 0);
  }
}

function box() { return cards[active] && cards[active].elements.value; }

function press(value) {
  const button = cards[active] && cards[active].querySelector(`button[value=${value}]`);
  if (button) button.click();
}

function selected() {
  const selection = window.getSelection();
  const around = selection.rangeCount ? selection.getRangeAt(0).commonAncestorContainer : null;
  const inside = around && [source, original].some((one) => one.contains(around));
  return inside ? selection.toString().trim().replace(/\s*[\r\n]\s*/g, " ") : "";  // a box drops line breaks
}

function correct() {
  const input = box();
  if (!input) return;
  const text = selected();
  if (text) input.value = text;
  input.focus();
  input.select();
  if (text) check(cards[active]);
}

// The answer to the newest question only: an older one may come later.
async function check(card) {
  const number = ++asked;
  const told = card.querySelector(".checked");
  const body = new URLSearchParams(new FormData(card));
  try {
    const url = card.action.replace(/\/decide(\?|$)/, "/check$1");
    const answer = await (await fetch(url, { method: "POST", body })).json();
    if (number !== asked) return;
    told.textContent = [`This would be ${answer.status}.`, ...answer.findings].join(" ");
  } catch (error) {
    if (number === asked) told.textContent = `It could not be checked: ${error.message}`;
  }
}

const keys = {
  j: () => step(1, () => true),
  k: () => step(-1, () => true),
  n: () => step(1, (card) => card.querySelector("li.error, li.warning")),
  o: () => { if (cards[active]) light(active, (place + 1) % Math.max(Number(cards[active].dataset.count), 1)); },
  c: correct,
  x: () => press("absent"),
  a: () => { const form = document.querySelector("#accept button"); if (form) form.click(); },
  s: () => document.getElementById("skip").click(),
  v: () => document.getElementById("view").click(),
};

document.addEventListener("keydown", (event) => {
  const typing = event.target.matches("input, select, textarea");
  if (event.key === "Escape" && typing) return event.target.blur();
  if (typing || event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
});

let waiting = 0;
cards.forEach((card, number) => {
  card.addEventListener("focusin", () => { if (active !== number) light(number, 0); });
  card.addEventListener("click", () => { if (active !== number) light(number, 0); });
  card.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => check(card), 300);
  });
});
document.addEventListener("click", (event) => {
  const mark = event.target.closest("mark");
  if (!mark) return;
  const names = placesOf(mark);
  const name = names.find((one) => !one.startsWith(`${active}.`)) || names[0];
  light(...name.split(".").map(Number));
});

step(1, (card) => card.querySelector("li.error, li.warning"));
if (active < 0) step(1, () => true);
document.body.dataset.ready = String(active);
