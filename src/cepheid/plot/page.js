// Hover, zoom and keyboard for the pictures of a page. Without it they are pictures with titles.
(function () {
  "use strict";
  var STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200,
    86400, 172800, 604800, 1209600, 2592000, 7776000, 31536000];
  var MOST_MARKS = 220;  // in a row; more events are counted in columns
  var ITEMS = ".mark,.dot,.match,.column,.found,.point";

  function number(element, name) { return parseFloat(element.getAttribute(name)); }

  // A picture on the time axis: what it has is found once and moved when the reader zooms.
  function View(view, svg) {
    var box = { x: number(view, "x"), width: number(view, "width"), height: number(view, "height"),
      y: number(view, "y") };
    var begin = number(view, "data-begin"), end = number(view, "data-end");
    var ticks = number(view, "data-ticks"), axis = view.parentNode.querySelector(".axis");
    var state = { from: 0, to: 1 };
    var moved = Array.prototype.map.call(view.querySelectorAll("[data-a]"), function (element) {
      return { element: element, tag: element.tagName, a: number(element, "data-a"),
        b: number(element, "data-b"), rest: (element.getAttribute("transform") || "")
          .replace(/^translate\(\S+ /, ""), inset: element.classList.contains("column") ||
          element.classList.contains("found") ? 0.3 : 0 };
    });
    var lines = Array.prototype.map.call(view.querySelectorAll("[data-line]"), function (element) {
      return { element: element, points: element.getAttribute("data-line").split(" ")
        .map(function (each) { return each.split(",").map(parseFloat); }) };
    });

    var kinds = view.querySelector("[data-kinds]");
    kinds = kinds ? JSON.parse(kinds.getAttribute("data-kinds")) : [];
    var dense = Array.prototype.map.call(view.querySelectorAll("[data-points]"), function (group) {
      var marks = document.createElementNS(svg.namespaceURI, "g");
      group.parentNode.insertBefore(marks, group.nextSibling);
      return { group: group, marks: marks, y: group.getAttribute("data-y"),
        points: group.getAttribute("data-points").split(" ").map(function (each) {
          return each.split(":").map(Number);
        }) };
    });

    // Where few events of a crowded row are in sight, they are marks instead of columns.
    function drawDense() {
      var whole = Math.max(1, end - begin);
      dense.forEach(function (each) {
        var seen = each.points.filter(function (point) {
          return point[0] >= state.from * whole && point[0] <= state.to * whole;
        });
        var isFew = seen.length <= MOST_MARKS;
        each.group.style.display = isFew ? "none" : "";
        each.marks.textContent = "";
        (isFew ? seen : []).forEach(function (point) {
          var kind = kinds[point[1]], mark = document.createElementNS(svg.namespaceURI, "path");
          mark.setAttribute("class", "mark " + kind[0]);
          mark.setAttribute("d", kind[1]);
          mark.setAttribute("data-a", point[0] / whole);
          mark.setAttribute("data-i", point[2]);
          mark.setAttribute("data-words", kind[2] + "\n" + (ticks ? date(begin + point[0]) + " " : "") +
            text(begin + point[0], ticks * 8, 1));
          mark.setAttribute("transform",
            "translate(" + x(point[0] / whole).toFixed(1) + " " + each.y + ")");
          each.marks.appendChild(mark);
        });
      });
    }

    function x(share) { return (share - state.from) / (state.to - state.from) * box.width; }

    function draw() {
      moved.forEach(function (each) {
        if (each.tag === "path") {
          each.element.setAttribute("transform", "translate(" + x(each.a).toFixed(1) + " " + each.rest);
        } else if (each.tag === "rect") {
          each.element.setAttribute("x", (x(each.a) + each.inset).toFixed(1));
          each.element.setAttribute("width",
            Math.max(1, x(each.b) - x(each.a) - 2 * each.inset).toFixed(1));
        } else if (each.tag === "line") {
          each.element.setAttribute("x1", x(each.a).toFixed(1));
          each.element.setAttribute("x2", x(each.b).toFixed(1));
        }
      });
      lines.forEach(function (each) {
        each.element.setAttribute("d", each.points.map(function (point, place) {
          return (place ? "L" : "M") + x(point[0]).toFixed(1) + " " + point[1];
        }).join(""));
      });
      drawDense();
      drawAxis();
    }

    function step(least) {
      if (ticks && least >= ticks) {
        for (var i = 0; i < STEPS.length; i++) {
          if (STEPS[i] * ticks >= least) { return STEPS[i] * ticks; }
        }
      }
      for (var power = 1; ; power *= 10) {
        for (var digit of [1, 2, 5]) { if (digit * power >= least) { return digit * power; } }
      }
    }

    function date(tick) {
      return new Date(Math.floor(tick / ticks) * 1000).toISOString().slice(0, 10);
    }

    function text(tick, span, size) {
      if (!ticks) { return tick.toLocaleString("en-US"); }
      if (size >= 86400 * ticks) { return date(tick); }
      var seconds = Math.floor(tick / ticks), moment = new Date(seconds * 1000).toISOString();
      if (span / ticks <= 8) {
        var digits = String(ticks).length - 1, rest = String(tick - seconds * ticks);
        while (rest.length < digits) { rest = "0" + rest; }
        return moment.slice(11, 19) + ("." + rest).replace(/\.?0*$/, "");
      }
      return moment.slice(11, 19);
    }

    function drawAxis() {
      if (!axis) { return; }
      var whole = Math.max(1, end - begin), first = begin + state.from * whole;
      var last = begin + state.to * whole, day = "", size = step(Math.max(1, Math.floor((last - first) / 8) + 1));
      while (axis.firstChild) { axis.removeChild(axis.firstChild); }
      for (var tick = Math.ceil(first / size) * size; tick <= last; tick += size) {
        var at = box.x + x((tick - begin) / whole);
        var grid = document.createElementNS(svg.namespaceURI, "line");
        grid.setAttribute("class", "grid");
        grid.setAttribute("x1", at); grid.setAttribute("x2", at);
        grid.setAttribute("y1", box.y); grid.setAttribute("y2", box.y + box.height + 4);
        axis.appendChild(grid);
        write("tick", at, 17, text(tick, last - first, size));
        if (ticks && size < 86400 * ticks && date(tick) !== day) {
          day = date(tick);
          write("tick date", at, 31, day);
        }
      }
      function write(kind, at, below, words) {
        var label = document.createElementNS(svg.namespaceURI, "text");
        label.setAttribute("class", kind);
        label.setAttribute("x", at); label.setAttribute("y", box.y + box.height + below);
        label.setAttribute("text-anchor", at < box.x + box.width - 28 ? "middle" : "end");
        label.textContent = words;
        axis.appendChild(label);
      }
    }

    function show(from, to) {
      var width = Math.min(1, Math.max(to - from, 1e-6));
      state.from = Math.min(1 - width, Math.max(0, from));
      state.to = state.from + width;
      draw();  // a browser hands over one movement of the mouse or wheel for each frame
    }

    return {
      view: view,
      sight: function () { return { from: state.from, to: state.to }; },
      zoom: function (factor, at) {
        show(at - (at - state.from) * factor, at + (state.to - at) * factor);
      },
      move: function (share) {
        var by = share * (state.to - state.from);
        show(state.from + by, state.to + by);
      },
      reset: function () { show(0, 1); },
      reveal: function (item) {
        var a = number(item, "data-a"), b = number(item, "data-b");
        if (isNaN(b)) { b = a; }
        if (a < state.from || b > state.to) {
          var width = Math.max(state.to - state.from, b - a), middle = (a + b) / 2;
          show(middle - width / 2, middle + width / 2);
        }
      }
    };
  }

  // In a notebook the buttons and all else around a picture come in an element of their own.
  function putInFrame(figure) {
    var frame = figure.querySelector("script"), svg = figure.querySelector("svg");
    if (!frame) { return; }
    figure.innerHTML = frame.textContent;
    svg.querySelector("style").remove();  // the page has it, in the colours of its theme
    figure.querySelector(".wide").appendChild(svg);
  }

  function start(figure) {
    figure.setAttribute("data-ready", "");
    putInFrame(figure);
    figure.classList.add("ready");
    var svg = figure.querySelector("svg.cepheid-plot"), said = figure.querySelector(".said");
    if (!svg) { return; }
    var views = Array.prototype.map.call(svg.querySelectorAll("svg.view"), function (each) {
      return View(each, svg);
    });
    var tip = document.createElement("div"), picked = null;
    tip.className = "tip"; tip.hidden = true; tip.setAttribute("aria-hidden", "true");
    figure.appendChild(tip);
    Array.prototype.forEach.call(svg.querySelectorAll(".view title,.bars title"), function (title) {
      title.parentNode.setAttribute("data-words", title.textContent);
      title.parentNode.removeChild(title);
    });
    svg.setAttribute("tabindex", "0");
    svg.setAttribute("role", "application");
    var isSeries = !svg.querySelector(".mark,.dense") && views.length;
    svg.setAttribute("aria-label", svg.querySelector("title").textContent + ". Arrow keys go from " +
      (!views.length ? "bar to bar." : (isSeries ? "value to value and from line to line, "
        : "event to event and from match to match, ") +
        "plus and minus zoom, the Shift key with arrows moves."));

    function viewOf(item) {
      return views.find(function (each) { return each.view.contains(item); });
    }

    // Below a place, or above it where the window ends; `top` is where the thing itself begins.
    function place(x, y, top) {
      var frame = figure.getBoundingClientRect();
      var left = Math.min(x - frame.left + 14, frame.width - tip.offsetWidth - 8);
      var isLow = y + 16 + tip.offsetHeight > window.innerHeight;
      var above = top - tip.offsetHeight - 10;
      tip.style.left = Math.max(4, left) + "px";
      tip.style.top = (isLow && above >= 0 ? above : y + 16) - frame.top + "px";
    }

    // Where something is to be seen: of a match its bar, for its window may reach far beyond it.
    function boxOf(item) {
      return (item.querySelector(".bar") || item).getBoundingClientRect();
    }

    function pick(item, x, y, top) {
      if (picked !== item) {
        Array.prototype.forEach.call(svg.querySelectorAll(".on,.picked"), function (each) {
          each.classList.remove("on", "picked");
        });
        picked = item;
        if (item) {
          var view = item.closest(".view") || svg;
          item.classList.add("on");
          var events = item.getAttribute("data-e"), event = item.getAttribute("data-i");
          if (events) {
            view.classList.add("picked");
            var wanted = new Set(events.split(" "));
            Array.prototype.forEach.call(view.querySelectorAll(".mark,.dot"), function (each) {
              if (wanted.has(each.getAttribute("data-i"))) { each.classList.add("on"); }
            });
          } else if (event) {
            var matches = Array.prototype.filter.call(view.querySelectorAll(".match"), function (each) {
              return each.getAttribute("data-e").split(" ").indexOf(event) >= 0;
            });
            if (matches.length) { view.classList.add("picked"); }
            matches.forEach(function (each) { each.classList.add("on"); });
          }
          tip.textContent = item.getAttribute("data-words");
        }
      }
      tip.hidden = !item;
      if (item) { place(x, y, top === undefined ? y : top); }
    }

    function goTo(item) {
      if (viewOf(item)) { viewOf(item).reveal(item); }
      (item.querySelector(".bar") || item).scrollIntoView({ block: "nearest", inline: "nearest" });
      var box = boxOf(item);
      pick(item, box.left + box.width / 2, box.bottom, box.top);
      said.textContent = item.getAttribute("data-words").replace(/\n/g, ", ");
    }

    // Row by row, and by time in each: marks lie in the picture as they cover each other.
    function inOrder(among) {
      var rows = Array.prototype.slice.call(svg.querySelectorAll(".part"));
      return Array.prototype.map.call(svg.querySelectorAll(among), function (item, place) {
        return { item: item, place: place, row: rows.indexOf(item.closest(".part")),
          a: number(item, "data-a") || 0 };
      }).filter(function (each) { return each.row >= 0; }).sort(function (one, other) {
        return one.row - other.row || one.a - other.a || one.place - other.place;
      }).map(function (each) { return each.item; });
    }

    // What stays where it is while all else is drawn apart: what is picked, or else what lies in
    // the middle of the matches in sight.
    function middle() {
      var sight = views[0].sight(), best = [];
      function place(item) {
        var a = number(item, "data-a"), b = number(item, "data-b");
        if (isNaN(b)) { b = a; }
        if (b < sight.from || a > sight.to) { return NaN; }
        return Math.min(sight.to, Math.max(sight.from, (a + b) / 2));
      }
      if (picked && viewOf(picked) && !isNaN(place(picked))) { return place(picked); }
      [".match", ".mark,.point"].forEach(function (among) {
        if (best.length) { return; }
        best = Array.prototype.map.call(svg.querySelectorAll(".view :is(" + among + ")"), place)
          .filter(function (each) { return !isNaN(each); });
      });
      best.sort(function (one, other) { return one - other; });
      return best.length ? best[best.length >> 1] : (sight.from + sight.to) / 2;
    }

    // What is picked keeps its tip, unless it is out of sight now.
    function follow() {
      if (!picked) { return; }
      var view = picked.closest("svg.view"), frame = view && view.getBoundingClientRect();
      var box = boxOf(picked), x = box.left + box.width / 2;
      if (!view || box.right < frame.left || box.left > frame.right) { pick(null); return; }
      pick(picked, Math.min(frame.right, Math.max(frame.left, x)), box.bottom, box.top);
    }

    function zoom(factor, share) {
      if (!views.length) { return; }
      var sight = views[0].sight();
      var at = share === undefined ? middle() : sight.from + share * (sight.to - sight.from);
      views.forEach(function (each) { each.zoom(factor, at); });
      follow();
    }

    function move(share) {
      views.forEach(function (each) { each.move(share); });
      follow();
    }

    function reset() {
      views.forEach(function (each) { each.reset(); });
      follow();
    }

    function neighbour(by, among) {
      var items = inOrder(among);
      if (!items.length) { return null; }
      var now = items.indexOf(picked);
      if (now >= 0) { return items[(now + by + items.length) % items.length]; }
      var events = picked && picked.getAttribute("data-e");  // from a match to its first event
      return items.find(function (each) {
        return events && each.getAttribute("data-i") === events.split(" ")[0];
      }) || items[0];
    }

    // Of the line below or above, the value whose time is nearest.
    function inNextLine(by) {
      var lines = Array.prototype.slice.call(svg.querySelectorAll(".part")).filter(function (each) {
        return each.querySelector(".point");
      });
      if (!picked || !lines.length) { return neighbour(by, ".point"); }
      var now = lines.indexOf(picked.closest(".part")), at = number(picked, "data-a");
      var line = lines[(now + by + lines.length) % lines.length];
      return Array.prototype.reduce.call(line.querySelectorAll(".point"), function (best, each) {
        var nearer = Math.abs(number(each, "data-a") - at) < Math.abs(number(best, "data-a") - at);
        return nearer ? each : best;
      });
    }

    function shareAt(event) {
      var box = views.length ? views[0].view.getBoundingClientRect() : { left: 0, width: 1 };
      return Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
    }

    svg.addEventListener("mousemove", function (event) {
      var item = event.target.closest ? event.target.closest(ITEMS) : null;
      pick(item && item.hasAttribute("data-words") ? item : null, event.clientX, event.clientY);
    });
    svg.addEventListener("mouseleave", function () { pick(null); });
    svg.addEventListener("keydown", function (event) {
      var keys = {
        "+": function () { zoom(0.5); },
        "=": function () { zoom(0.5); },
        "-": function () { zoom(2); },
        "0": reset,
        "ArrowRight": function () {
          if (event.shiftKey) { move(0.25); } else { next(1, ".mark,.column,.point"); }
        },
        "ArrowLeft": function () {
          if (event.shiftKey) { move(-0.25); } else { next(-1, ".mark,.column,.point"); }
        },
        "ArrowDown": function () { across(1); },
        "ArrowUp": function () { across(-1); },
        "Escape": function () { pick(null); }
      };
      function next(by, among) {
        var item = neighbour(by, among);
        if (item) { goTo(item); }
      }
      function across(by) {
        var item = isSeries ? inNextLine(by) : neighbour(by, ".match,.bars .column");
        if (item) { goTo(item); }
      }
      if (keys[event.key] && !event.ctrlKey && !event.metaKey && !event.altKey) {
        keys[event.key]();
        event.preventDefault();
      }
    });
    svg.addEventListener("wheel", function (event) {
      if (!event.ctrlKey && !event.metaKey) { return; }
      event.preventDefault();
      zoom(event.deltaY < 0 ? 0.8 : 1.25, shareAt(event));
    }, { passive: false });
    svg.addEventListener("dblclick", function (event) {
      zoom(0.5, shareAt(event));
      event.preventDefault();
    });
    svg.addEventListener("pointerdown", function (event) {
      var last = event.clientX;
      if (!event.target.closest(".view") && !event.target.closest(".lane")) { return; }
      function drag(moved) {
        views.forEach(function (each) {
          each.move((last - moved.clientX) / each.view.getBoundingClientRect().width);
        });
        last = moved.clientX;
      }
      function stop() {
        window.removeEventListener("pointermove", drag);
        window.removeEventListener("pointerup", stop);
      }
      window.addEventListener("pointermove", drag);
      window.addEventListener("pointerup", stop);
    });
    Array.prototype.forEach.call(figure.querySelectorAll(".tools button"), function (button) {
      button.addEventListener("click", function () {
        var by = parseFloat(button.value);
        if (button.name === "move") { move(by); } else if (by) { zoom(by); } else { reset(); }
      });
    });
  }

  function startAll() {
    Array.prototype.forEach.call(
      document.querySelectorAll("figure[data-cepheid-plot]:not([data-ready])"), start);
  }

  startAll();
  document.addEventListener("cepheid-plots", startAll);  // of a page that gets new ones
})();
