// Fills the tide table from data that only this script asks for.
import { rows } from "./rows.js";

const table = document.querySelector("#tides tbody");
const note = document.querySelector("#tides-note");

try {
  const answer = await fetch("/data/tides.json");
  const { reading, tides } = await answer.json();
  table.replaceChildren(...rows(tides));
  note.textContent = `Gauge reading no. ${reading}.`;
} catch {
  note.textContent = "The gauge does not answer just now.";
}
