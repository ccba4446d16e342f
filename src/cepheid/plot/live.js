// Asks this server every two seconds what is known of the streams, and shows what is new of it.
(function () {
  "use strict";
  var content = document.getElementById("content"), state = document.getElementById("state");
  var isOver = false, shown = [];  // of each part the text that it was made of

  function say(words) {  // only what is new is read aloud
    if (state.textContent !== words) { state.textContent = words; }
  }

  // Whoever reads a picture, or moves in it, keeps it until they leave.
  function isRead(part) {
    return part.matches("figure") && (part.matches(":hover") || part.contains(document.activeElement));
  }

  function exchange(old, part) {
    var scrolled = old.scrollTop;
    old.parentNode.replaceChild(part, old);
    part.scrollTop = scrolled;
  }

  function show(section) {
    var parts = Array.prototype.slice.call(section.children);
    var texts = parts.map(function (each) { return each.outerHTML; });
    var old = content.firstElementChild;
    if (!old || texts.length !== shown.length) {
      content.textContent = "";
      content.appendChild(section);
    } else {
      parts.forEach(function (part, place) {
        var before = old.children[place];
        if (texts[place] === shown[place]) { return; }
        if (isRead(before)) { texts[place] = shown[place]; return; }
        exchange(before, part);
      });
    }
    shown = texts;
    document.dispatchEvent(new Event("cepheid-plots"));  // page.js starts those that are new
  }

  function ask() {
    fetch("/content", { cache: "no-store" }).then(function (answer) {
      if (!answer.ok) { throw new Error(answer.status); }
      return answer.text();
    }).then(function (text) {
      var template = document.createElement("template");
      template.innerHTML = text;
      var section = template.content.querySelector("section");
      isOver = section.hasAttribute("data-over");
      say(section.getAttribute("data-status"));
      show(section);
    }).catch(function () {
      if (!isOver) { say("The pipeline does not answer: it has ended, or was stopped."); }
    }).finally(function () {
      if (!isOver) { setTimeout(ask, 2000); }
    });
  }

  ask();
})();
