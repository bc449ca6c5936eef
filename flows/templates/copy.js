"use strict";
// Copies the SQL of a box; where the browser does not allow that, it is selected, to be copied by hand.
async function copied(code) {
  try {
    await navigator.clipboard.writeText(code.textContent);
    return "Copied.";
  } catch {
    window.getSelection().selectAllChildren(code);
    return "Selected: press Ctrl-C.";
  }
}

for (const button of document.querySelectorAll("button.copy")) {
  const box = button.closest("details");
  button.addEventListener("click", async () => {
    box.querySelector(".copied").textContent = await copied(box.querySelector("code"));
  });
}
