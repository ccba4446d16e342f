// Asks this server every two seconds what is known of the streams, and shows it.
(function () {
  "use strict";
  var content = document.getElementById("content"), state = document.getElementById("state");
  var isOver = false;

  function say(words) {  // only what is new is read aloud
    if (state.textContent !== words) { state.textContent = words; }
  }

  function ask() {
    fetch("/content", { cache: "no-store" }).then(function (answer) {
      if (!answer.ok) { throw new Error(answer.status); }
      return answer.text();
    }).then(function (text) {
      var scrolled = Array.prototype.map.call(content.querySelectorAll(".table"), function (each) {
        return each.scrollTop;
      });
      content.innerHTML = text;
      Array.prototype.forEach.call(content.querySelectorAll(".table"), function (each, place) {
        each.scrollTop = scrolled[place] || 0;
      });
      var section = content.querySelector("section");
      isOver = section.hasAttribute("data-over");
      say(section.getAttribute("data-status"));
    }).catch(function () {
      if (!isOver) { say("The pipeline does not answer: it has ended, or was stopped."); }
    }).finally(function () {
      if (!isOver) { setTimeout(ask, 2000); }
    });
  }

  ask();
})();
