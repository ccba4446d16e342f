// Search without a server. A browser starts no worker from a page that was opened as a file, so the
// worker's script runs in a hidden frame, which answers messages in the same way. On a server the
// browser's own worker is used.
if (location.protocol === "file:") {
  const post = function (message) { parent.postMessage(message, "*") }
  const load = function (...urls) {
    return urls.reduce((before, url) => before.then(() => new Promise((done, failed) => {
      const script = document.createElement("script")
      script.src = url
      script.onload = done
      script.onerror = failed
      document.body.appendChild(script)
    })), Promise.resolve())
  }

  window.IFrameWorker = class extends EventTarget { // the name by which the worker knows of it
    constructor(url) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.body.appendChild(frame)
      const inside = frame.contentWindow
      inside.document.open()
      inside.document.write(
        `<body><script>postMessage=${post};importScripts=${load}</scr` + `ipt>` +
        `<script src="${url}"></scr` + `ipt></body>`
      )
      inside.document.close()
      this.ready = new Promise(done => { inside.onload = done })
      this.inside = inside
      addEventListener("message", event => {
        if (event.source === inside)
          this.dispatchEvent(new MessageEvent("message", { data: event.data }))
      })
    }

    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })))
    }
  }
  window.Worker = window.IFrameWorker
}
