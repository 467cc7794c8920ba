// In every frame: when the first shape on a canvas of the page was on the screen (of the wall clock, in ms).
for (const name of ["fill", "drawImage"]) {
  const own = CanvasRenderingContext2D.prototype[name];
  CanvasRenderingContext2D.prototype[name] = function (...given) {
    if (this.canvas.isConnected) {
      CanvasRenderingContext2D.prototype[name] = own;
      requestAnimationFrame(() => { window.painted ??= performance.timeOrigin + performance.now(); });
    }
    return own.apply(this, given);
  };
}
