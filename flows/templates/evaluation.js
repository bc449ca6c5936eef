"use strict";
const figures = JSON.parse(document.getElementById("figures").textContent);
const settings = { displaylogo: false, responsive: true, displayModeBar: false };
Promise.all(
  figures.map((figure, place) => Plotly.newPlot(`figure-${place}`, figure.data, figure.layout, settings)),
).then(
  () => { document.body.dataset.drawn = String(figures.length); },
  (error) => { document.body.dataset.failed = String(error); },
);
