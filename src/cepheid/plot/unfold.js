// Pictures come as images, which are there also where no script runs. Here they become part of the
// page, in the colours of its theme, and can be pointed at.
(function () {
  "use strict";
  Array.prototype.forEach.call(document.querySelectorAll("img.still"), function (still) {
    var bytes = Uint8Array.from(atob(still.src.split(",")[1]), function (each) {
      return each.charCodeAt(0);
    });
    still.outerHTML = new TextDecoder().decode(bytes);
  });
})();
