"use strict";
// One field is active at a time: its spans are lit in the source, and the keys work on it.
const cards = [...document.querySelectorAll(".card")];
const source = document.getElementById("source");
const original = document.getElementById("original-view");
let active = -1;
let place = 0;
let asked = 0;
let last = null;

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

// To the middle of its pane; the page itself moves no more than it must.
function bring(mark) {
  const pane = original.contains(mark) ? original : source;
  const [at, around] = [mark, pane].map((one) => one.getBoundingClientRect());
  pane.scrollTop += at.top - around.top - (around.height - at.height) / 2;
  mark.scrollIntoView({ block: "nearest" });
}

function light(card, chosen) {
  active = card;
  place = chosen;
  cards.forEach((one, number) => {
    one.classList.toggle("active", number === card);
    const button = one.querySelector(".places");
    if (button) button.textContent = number === card ? `Place ${chosen + 1} of ${one.dataset.count}` : `${one.dataset.count} places`;
  });
  const first = paint();
  tell();
  if (first) bring(first);
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

// The next of the active field's places, after the last one the first again.
function elsewhere() {
  if (cards[active]) light(active, (place + 1) % Math.max(Number(cards[active].dataset.count), 1));
}

function step(by, wanted) {
  for (let at = active + by; at >= 0 && at < cards.length; at += by) {
    if (wanted(cards[at])) return light(at, 0);
  }
}

// The box of the active field; of a card with several the one that was typed into last.
function box() {
  const boxes = cards[active] ? [...cards[active].querySelectorAll("input:not([type=hidden])")] : [];
  return boxes.find((one) => one === last) || boxes[0];
}

function press(value) {
  const button = cards[active] && cards[active].querySelector(`button[value=${value}]`);
  if (button) button.click();
}

// To the button (or the box before it) that does something to the field, its row, or the list around it.
function goTo(kind) {
  const here = cards[active] && cards[active].elements.pointer.value;
  const around = [...document.querySelectorAll(`.fields button[value=${kind}]`)].filter((one) =>
    `${here}/`.startsWith(`${one.form.elements.pointer.value}/`));
  const button = around.sort((a, b) => depth(b) - depth(a))[0];
  const wanted = button && (button.form.dataset.kind === kind && button.form.querySelector("input[required]") || button);
  if (wanted) wanted.focus();
  return Boolean(wanted);
}

function depth(button) { return button.form.elements.pointer.value.length; }

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
  body.set("decision", card.dataset.kind);
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
  o: elsewhere,
  c: correct,
  x: () => press("absent"),
  "+": () => goTo("fill") || goTo("add"),
  "-": () => goTo("remove"),
  a: () => { const form = document.querySelector("#accept button"); if (form) form.click(); },
  s: () => document.getElementById("skip").click(),
  v: () => document.getElementById("view").click(),
};

const MOVES = "jkno";

// A key that is held moves on and on, but decides once: the next page would take its repetitions.
document.addEventListener("keydown", (event) => {
  const typing = event.target.matches("input, select, textarea");
  if (event.key === "Enter" && event.repeat) return event.preventDefault();
  if (event.key === "Escape" && typing) return event.target.blur();
  if (typing || event.ctrlKey || event.metaKey || event.altKey || !single.checked || !keys[event.key]) return;
  event.preventDefault();
  if (!event.repeat || MOVES.includes(event.key)) keys[event.key]();
});

// Single keys can be turned off, for who dictates (WCAG 2.2, 2.1.4); the browser remembers it.
const single = document.getElementById("single");
try { single.checked = localStorage.getItem("assay-keys") !== "off"; } catch { /* a browser that keeps nothing */ }
single.addEventListener("change", () => {
  try { localStorage.setItem("assay-keys", single.checked ? "on" : "off"); } catch { /* it holds for this page */ }
});

// A form is sent once: a second click would be told that somebody was quicker.
let sent = false;
document.addEventListener("submit", (event) => {
  if (sent) event.preventDefault();
  sent = true;
});
window.addEventListener("pageshow", () => { sent = false; });

let waiting = 0;
cards.forEach((card, number) => {
  card.addEventListener("focusin", (event) => {
    if (event.target.matches("input")) last = event.target;
    if (active !== number && !event.target.matches(".places")) light(number, 0);
  });
  card.addEventListener("click", (event) => {
    if (active !== number) light(number, 0);
    else if (event.target.matches(".places")) elsewhere();
  });
  for (const button of card.querySelectorAll(".places")) button.hidden = false;
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

// After a change the address names what to go on with: a box takes the keys, a card is lit up only.
const wanted = document.getElementById(location.hash.slice(1));
const next = wanted ? cards.indexOf(wanted.closest(".card")) : -1;
if (next >= 0) light(next, 0);
if (next >= 0 && wanted !== cards[next]) wanted.focus();
if (active < 0) step(1, (card) => card.querySelector("li.error, li.warning"));
if (active < 0) step(1, () => true);
document.body.dataset.ready = String(active);
