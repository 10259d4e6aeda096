// Pictures further down the page wait in data-src until they come near the window.
const waiting = document.querySelectorAll("img[data-src]");
const show = (image) => {
  image.src = image.dataset.src;
  image.removeAttribute("data-src");
};
if ("IntersectionObserver" in window) {
  const watch = new IntersectionObserver(
    (seen) => {
      for (const { isIntersecting, target } of seen) {
        if (isIntersecting) {
          show(target);
          watch.unobserve(target);
        }
      }
    },
    { rootMargin: "200px" },
  );
  waiting.forEach((image) => watch.observe(image));
} else {
  waiting.forEach(show);
}
