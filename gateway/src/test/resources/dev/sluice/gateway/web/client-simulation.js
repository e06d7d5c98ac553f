// The client against a gateway that is played, without a network and without time. Evaluated in a page before a test.

/** A gateway's end of a WebSocket. */
class PlayedSocket {
  static all = [];
  readyState = 0;
  sent = [];

  constructor() { PlayedSocket.all.push(this); }
  send(text) { this.sent.push(JSON.parse(text)); }
  close() { this.readyState = 3; }
  tell(message) { this.onmessage({ data: JSON.stringify(message) }); }

  open() {
    this.readyState = 1;
    this.onopen();
    this.tell({ hello: true, version: 1, pingMillis: 1e6 });
    return this.sent.findLast((each) => each.op === 'subscribe');
  }

  cut() {
    this.readyState = 3;
    this.onclose({ code: 1006, reason: '' });
  }
}

/** A client whose timers run when the test says so; its pauses are in `pauses`. */
async function playedClient(options = {}) {
  const { Sluice } = await import('/sluice.js');
  PlayedSocket.all = [];
  window.WebSocket = PlayedSocket;
  window.pauses = [];
  let due = null;
  window.setTimeout = (run, millis) => { due = { run, millis }; return 1; };
  window.clearTimeout = () => { due = null; };
  const sluice = new Sluice('http://127.0.0.1:1', options);
  await null; // the token
  await null;
  const next = () => {
    if (due) {
      pauses.push(due.millis);
      due.run();
    }
    return PlayedSocket.all.at(-1);
  };
  return { sluice, socket: PlayedSocket.all.at(-1), next };
}

function randomOf(seed) {
  return (bound) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * bound);
  };
}

/**
 * Plays a log of events to a client whose connection is cut again and again. As from a Streamer: in order per partition,
 * partitions overtake each other, and the resume id is the place up to which every partition has come. Returns what is wrong.
 */
async function simulate(seed, { events, documents, partitions, cuts, stalled }) {
  const random = randomOf(seed);
  const log = Array.from({ length: events }, () => random(documents));
  const told = [];
  const played = await playedClient();
  const lastOf = new Map();
  const shown = new Set();
  let socket = played.socket;
  const orders = played.sluice.subscribe({
    collection: 'orders',
    onEvent: ({ timestamp, documentId }) => { told.push(timestamp); shown.add(timestamp); lastOf.set(Number(documentId), timestamp); },
  });
  for (let round = 0; round <= cuts; round++) {
    const { id, lastEventId } = socket.open();
    const from = Number(lastEventId || 0);
    const at = Array(partitions).fill(from); // the last place each partition has read
    socket.tell({ id, subscribed: true, progress: String(from) });
    const total = (events - from) * partitions;
    // The last connection is not cut. A partition that stalls keeps the resume id back, so that much comes again.
    const steps = round === cuts ? Infinity : random(total);
    for (let step = 0; step < steps && at.some((place) => place < events); step++) {
      const partition = random(partitions);
      const held = stalled && round < cuts && partition === 0 && at[0] >= round * 3;
      if (at[partition] === events || held) continue;
      const place = ++at[partition];
      const document = log[place - 1];
      const progress = String(Math.min(...at));
      if (document % partitions === partition) {
        const event = { id: `e${place}`, type: 'update', collection: 'orders', documentId: String(document), timestamp: place };
        socket.tell({ id, event, progress });
      }
    }
    if (round < cuts) {
      socket.cut();
      socket = played.next();
    }
  }
  const newest = new Map(log.map((document, index) => [document, index + 1]));
  const lost = events - shown.size;
  const stale = [...newest].filter(([document, place]) => lastOf.get(document) !== place).length;
  played.sluice.close();
  return { lost, stale, repeated: told.length - shown.size, lastEventId: orders.lastEventId };
}
