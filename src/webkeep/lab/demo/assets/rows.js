// Table rows out of tide records.
export function* rows(tides) {
  for (const { time, kind, metres } of tides) {
    const row = document.createElement("tr");
    for (const text of [time, kind, `${metres.toFixed(2)} m`]) {
      const cell = document.createElement("td");
      cell.textContent = text;
      row.append(cell);
    }
    yield row;
  }
}
