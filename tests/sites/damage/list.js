const list = document.querySelector('#list');
for (let number = 1; number <= 8; number += 1) {
  const card = document.createElement('div');
  card.className = 'card';
  card.textContent = `Entry ${number}: the ferry leaves the quay at ${number + 6}:15 and comes back in the evening, weather allowing.`;
  list.append(card);
}
