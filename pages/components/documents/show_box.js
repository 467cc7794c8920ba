// Brings the outlined box of the page image that stands in the same dialog to the middle of what is seen of it.
export default function ({ parentElement }) {
  const dialog = parentElement.closest('[role="dialog"]');
  let waits = 60; // frames in which the image beside this may appear
  const look = () => {
    const box = dialog?.querySelector(".gt-outline.is-strong");
    const image = box?.parentElement.querySelector("img");
    if (!image) return waits-- > 0 && dialog ? requestAnimationFrame(look) : undefined;
    const show = () => box.scrollIntoView({ block: "center" });
    // Its place is in per cent of the image, which has no height before it is there.
    return image.complete && image.naturalHeight ? show() : image.addEventListener("load", show, { once: true });
  };
  look();
}
