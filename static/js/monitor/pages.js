// The pages that the chart has in memory: as many as it draws, and a lead for the longest average.
const COLUMNS = ["seq", "t", "relevance", "kind", "title", "site"];
export const LEAD = 2_000;

export class Pages {
  /** `lead` are relevances of judged pages before the first one. */
  constructor(columns, lead, most) {
    for (const name of COLUMNS) this[name] = [...columns[name]];
    this.lead = lead;
    this.most = most;
  }

  get length() {
    return this.seq.length;
  }

  push(points) {
    for (const point of points) {
      for (const name of COLUMNS) this[name].push(point[name]);
    }
    // Cut seldom, and much: each cut copies the arrays.
    if (this.length > this.most * 1.25) this.#cut(this.length - this.most);
  }

  #cut(count) {
    const gone = this.relevance.slice(0, count).filter((relevance) => relevance !== null);
    this.lead = [...this.lead, ...gone].slice(-LEAD);
    for (const name of COLUMNS) this[name] = this[name].slice(count);
  }

  /** Mean relevance of the last `width` judged pages, after each page from index `from` on. */
  averages(width, from = 0) {
    const latest = this.lead.slice(-width);
    let sum = latest.reduce((total, relevance) => total + relevance, 0);
    let oldest = 0;
    const found = [];
    for (let at = 0; at < this.length; at += 1) {
      const relevance = this.relevance[at];
      if (relevance !== null) {
        latest.push(relevance);
        sum += relevance;
        if (latest.length - oldest > width) sum -= latest[oldest++];
      }
      const count = latest.length - oldest;
      if (at >= from) found.push(count ? sum / count : null);
    }
    return found;
  }

  /** Index of the first page with at least this number. */
  indexOf(seq) {
    let [low, high] = [0, this.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.seq[middle] < seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
