// What a crawl commits, as it comes: over a websocket, or by asking every few seconds where none
// stays open. Either way every page arrives once, because each request names the last one we have.
const POLL_TIME = 5_000;
const FAILURES_BEFORE_POLLING = 3;
const RETRY_WHILE_POLLING = 30_000;
const LONGEST_PAUSE = 15_000;
const FINAL_CODES = new Map([
  [4401, "You are signed out. Sign in again to go on watching."],
  [4404, "You can no longer watch this crawl."],
  [4429, "You watch too many crawls at once. Close some of their pages, then load this one anew."],
]);

export class Feed {
  #failures = 0;
  #pollTimer = 0;
  #socket = null;

  /** `onFrame` gets each frame, `onLink` the state of the line: live, lost, polling or ended. */
  constructor({ socketPath, pollUrl, seq, eventId, onFrame, onLink }) {
    Object.assign(this, { socketPath, pollUrl, seq, eventId, onFrame, onLink });
  }

  open() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const query = `?after=${this.seq}&event=${this.eventId}`;
    const socket = new WebSocket(`${scheme}://${location.host}${this.socketPath}${query}`);
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      this.#failures = 0;
      this.#stopPolling();
      this.onLink("live");
      this.#take(JSON.parse(data));
      // The server sends a few batches ahead of this and then waits: a slow page costs it nothing.
      if (socket.readyState === WebSocket.OPEN) socket.send(`{"seen":${this.seq}}`);
    });
    socket.addEventListener("close", ({ code }) => this.#lost(code));
  }

  #take(frame) {
    if (frame.type === "points") {
      frame.points = frame.points.filter((point) => point.seq > this.seq);
      if (!frame.points.length) return;
      this.seq = frame.points.at(-1).seq;
    } else if (frame.event) {
      if (frame.event.id <= this.eventId) return;
      this.eventId = frame.event.id;
    }
    this.onFrame(frame);
  }

  #lost(code) {
    if (FINAL_CODES.has(code)) {
      this.#stopPolling();
      this.onLink("ended", FINAL_CODES.get(code));
      return;
    }
    this.#failures += 1;
    const isPolling = this.#failures >= FAILURES_BEFORE_POLLING;
    if (isPolling && !this.#pollTimer) this.#startPolling();
    if (!isPolling) this.onLink("lost");
    const pause = Math.min(LONGEST_PAUSE, 500 * 2 ** this.#failures) * (0.5 + Math.random());
    setTimeout(() => this.open(), isPolling ? RETRY_WHILE_POLLING : pause);
  }

  #startPolling() {
    this.#pollTimer = setInterval(() => this.#poll(), POLL_TIME);
    this.#poll();
  }

  #stopPolling() {
    clearInterval(this.#pollTimer);
    this.#pollTimer = 0;
  }

  async #poll() {
    try {
      const answer = await fetch(`${this.pollUrl}?after=${this.seq}&event=${this.eventId}`);
      if (!answer.ok || answer.redirected) throw new Error(String(answer.status));
      const { frames } = await answer.json();
      if (!this.#pollTimer) return; // the line is back
      this.onLink("polling");
      frames.forEach((frame) => this.#take(frame));
    } catch {
      if (this.#pollTimer) this.onLink("lost");
    }
  }
}
