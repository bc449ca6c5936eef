"use strict";
// The answer as it was drawn: what comes after the token under the cursor is not there yet.
const box = document.getElementById("tokens");
const tokens = [...box.querySelectorAll(".token")];
const play = document.getElementById("play");
const PACE_MS = 120;
let at = 0;
let timer = 0;

function show(number) {
  at = Math.min(Math.max(number, 0), tokens.length - 1);
  tokens.forEach((token, place) => {
    token.classList.toggle("later", place > at);
    token.classList.toggle("here", place === at);
  });
  const token = tokens[at];
  if (!token) return;
  const told = { ...token.dataset, number: `${at + 1} of ${tokens.length}` };
  told.field = told.field || "between fields";
  for (const name of ["text", "number", "field", "raw", "masked", "legal", "removed"]) {
    document.getElementById(`told-${name}`).textContent = told[name];
  }
  rank("before", token.dataset.before);
  rank("after", token.dataset.after);
  token.scrollIntoView({ block: "nearest" });
}

// The likeliest tokens with their probabilities; where none were computed there is no list.
function rank(name, told) {
  const list = document.getElementById(`told-${name}`);
  if (!list) return;
  list.replaceChildren(...JSON.parse(told).map(([text, probability]) => {
    const item = document.createElement("li");
    const code = document.createElement("code");
    code.textContent = text;
    item.append(code, ` ${probability}`);
    return item;
  }));
}

function stop() {
  clearInterval(timer);
  timer = 0;
  play.setAttribute("aria-pressed", "false");
  play.textContent = "Play";
  document.getElementById("told").setAttribute("aria-live", "polite");
}

function toggle() {
  if (timer) return stop();
  if (at >= tokens.length - 1) show(0);
  play.setAttribute("aria-pressed", "true");
  play.textContent = "Pause";
  document.getElementById("told").setAttribute("aria-live", "off");  // too fast to be read aloud
  timer = setInterval(() => (at < tokens.length - 1 ? show(at + 1) : stop()), PACE_MS);
}

function move(number) {
  stop();
  show(number);
}

const keys = {
  ArrowRight: () => move(at + 1),
  ArrowLeft: () => move(at - 1),
  Home: () => move(0),
  End: () => move(tokens.length - 1),
  " ": toggle,
};
document.addEventListener("keydown", (event) => {
  if (event.target.matches("select, button") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (!keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
});
document.getElementById("step").addEventListener("click", () => move(at + 1));
document.getElementById("back").addEventListener("click", () => move(at - 1));
play.addEventListener("click", toggle);
tokens.forEach((token, place) => token.addEventListener("click", () => move(place)));
const shade = document.getElementById("shade");
shade.addEventListener("change", () => { box.className = shade.value; });

// While the probabilities are computed: loaded again once that has ended, well or not.
const computing = document.getElementById("computing");
async function ask() {
  const state = await (await fetch(computing.dataset.place)).json();
  if (!state.computing) location.reload();
}
if (computing) setInterval(() => ask().catch((error) => { computing.textContent = error.message; }), 2000);

show(tokens.length - 1);
document.body.dataset.ready = String(tokens.length);
