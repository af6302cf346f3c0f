// The whole crawl in small, under the chart: the mean of stretches of pages, and where we look.
const MOST = 1_000; // then neighbours are joined
const HEIGHT = 56;

function joined(one, other) {
  const judged = one.judged + other.judged;
  const total = one.total + other.total;
  const known = (values) => values.filter((value) => value !== null);
  const least = known([one.least, other.least]);
  const most = known([one.most, other.most]);
  return {
    first: one.first,
    last: other.last,
    judged,
    failed: one.failed + other.failed,
    total,
    mean: judged ? total / judged : null,
    least: least.length ? Math.min(...least) : null,
    most: most.length ? Math.max(...most) : null,
    first_at: one.first_at,
    last_at: other.last_at,
  };
}

export class Overview {
  constructor(canvas, stretches, colours) {
    this.canvas = canvas;
    this.steps = stretches;
    this.colours = colours;
    // The last stretch is what was left over; ours go on in the size of the others.
    this.size = stretches.length > 1 ? stretches[0].last - stretches[0].first + 1 : 100;
  }

  get last() {
    return this.steps.at(-1)?.last ?? 0;
  }

  push(points) {
    for (const { seq, t, relevance } of points) {
      const isJudged = relevance !== null;
      const page = {
        first: seq, last: seq, judged: Number(isJudged), failed: Number(!isJudged),
        total: relevance ?? 0, mean: relevance, least: relevance, most: relevance,
        first_at: t, last_at: t,
      }; // prettier-ignore
      const end = this.steps.at(-1);
      if (end && end.last - end.first + 1 < this.size) this.steps.splice(-1, 1, joined(end, page));
      else this.steps.push(page);
    }
    if (this.steps.length > MOST) this.#thin();
  }

  #thin() {
    const steps = [];
    for (let at = 0; at < this.steps.length; at += 2) {
      const other = this.steps[at + 1];
      steps.push(other ? joined(this.steps[at], other) : this.steps[at]);
    }
    this.steps = steps;
    this.size *= 2;
  }

  /** Draws everything, with the part from page `first` to page `last` set off. */
  draw(first, last, flags) {
    const width = this.canvas.clientWidth;
    const ratio = devicePixelRatio || 1;
    if (!width) return;
    if (this.canvas.width !== Math.round(width * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(HEIGHT * ratio);
    }
    const pen = this.canvas.getContext("2d");
    const look = this.colours();
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, HEIGHT);
    if (!this.last) return;
    const x = (seq) => ((seq - 1) / Math.max(1, this.last - 1)) * width;
    const y = (relevance) => 4 + (1 - relevance) * (HEIGHT - 8);
    pen.fillStyle = look.band;
    const [from, to] = [x(Math.max(1, first)), x(Math.max(first, last))];
    pen.fillRect(from, 0, Math.max(3, to - from), HEIGHT);
    pen.fillStyle = look.reference;
    for (const { seq } of flags) pen.fillRect(Math.round(x(Math.max(1, seq))), HEIGHT - 7, 1, 7);
    const judged = this.steps.filter((step) => step.mean !== null);
    this.#line(pen, judged, (step) => [x((step.first + step.last) / 2), y(step.mean)], look.average);
    pen.strokeStyle = look.average;
    pen.lineWidth = 1;
    pen.strokeRect(from + 0.5, 0.5, Math.max(2, to - from - 1), HEIGHT - 1);
  }

  #line(pen, steps, place, colour) {
    pen.strokeStyle = colour;
    pen.lineWidth = 1.5;
    pen.lineJoin = "round";
    pen.beginPath();
    steps.forEach((step, at) => (at ? pen.lineTo(...place(step)) : pen.moveTo(...place(step))));
    pen.stroke();
  }

  /** The page at a place of the drawing. */
  pageAt(clientX) {
    const box = this.canvas.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (clientX - box.left) / box.width));
    return Math.round(1 + share * Math.max(0, this.last - 1));
  }
}
