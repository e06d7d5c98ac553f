/**
 * Sluice's browser client: changes from a gateway by WebSocket. It reconnects by itself, resumes every subscription where it
 * stopped, and drops repeats. One file, no dependency; a gateway serves it as /sluice.js.
 *
 *   import { Sluice } from 'http://127.0.0.1:8090/sluice.js';   // in a plain script: const { Sluice } = await import(…)
 *
 *   const sluice = new Sluice('http://127.0.0.1:8090');
 *   const orders = sluice.subscribe({
 *     collection: 'orders',
 *     filter: { total: { $gte: 100 } },
 *     onEvent: (event) => show(event.documentId, event.document),
 *     onResync: () => readEverythingAgain(),
 *   });
 *   orders.unsubscribe();
 *   sluice.close();
 */

/** The version of the WebSocket protocol that this client speaks. */
const VERSION = 1;

/** Event ids remembered per subscription, to recognise repeats. */
const REMEMBERED_IDS = 4096;

/** A connection that lived longer than this ends the back-off. */
const STABLE_MILLIS = 5_000;

/** The time for the handshake and the gateway's first answer. */
const HANDSHAKE_MILLIS = 15_000;

/** The time for the page's function that gets a token. */
const TOKEN_MILLIS = 30_000;

/** Characters of a reason; a proxy in between may answer with a page. */
const LONGEST_REASON = 300;

/** The status of a gateway that would let this client in; the reason why there is no WebSocket all the same. */
const UPGRADE_REQUIRED = 426;
const BLOCKED = 'no WebSocket, though the gateway lets this client in: does a proxy block it?';

/** So many of the gateway's ping intervals may pass without a message. */
const PINGS_MISSED = 3;

/** Changes that concern a whole collection; several copies under one id may be due. */
const CONTROL_TYPES = new Set(['drop', 'rename', 'invalidate']);

/**
 * A connection to a gateway, with all its subscriptions.
 *
 * Its `state` is
 *   connecting  a connection is being made
 *   live        the gateway has answered
 *   waiting     the connection was lost; the next attempt is due soon
 *   failed      the gateway refuses this client for good, see the reason
 *   closed      by close()
 */
export class Sluice {
  state = 'connecting';

  #address;
  #options;
  #subscriptions = new Map(); // by the id used on the wire
  #made = 0;
  #socket = null;
  #connection = 0; // a number; whatever arrives from an earlier connection is ignored
  #greetedAt = 0; // when the gateway answered on this connection; 0: not yet
  #pingMillis = 0;
  #silences = 0; // connections in a row given up because nothing was heard
  #attempts = 0;
  #token = null;
  #timer = 0; // the next attempt, or the watch over the connection
  #wake = () => { if (this.state === 'waiting') this.#connect(); };

  /**
   * @param {string} [url] of the gateway; by default the one that served this file
   * @param {object} [options]
   * @param {string | (() => string | Promise<string>)} [options.token] a token, or a function that gets one. The function is
   *     called for the first connection, and whenever the gateway says that the last token has expired or is not valid
   * @param {(state: string, reason: string) => void} [options.onState] called when the state changes
   * @param {{base: number, max: number}} [options.backoff] milliseconds: attempt n waits a random part of base × 2ⁿ, at most max
   */
  constructor(url = new URL('.', import.meta.url).href, options = {}) {
    this.#address = new URL('v1/subscribe', url.endsWith('/') ? url : `${url}/`);
    this.#options = { backoff: { base: 1000, max: 30_000 }, ...options };
    globalThis.addEventListener?.('online', this.#wake);
    this.#connect();
  }

  /**
   * Subscribes to changes. All callbacks are optional but onEvent.
   *
   * @param {object} wanted
   * @param {string} wanted.collection
   * @param {string} [wanted.tenant] by default every tenant that the token may see
   * @param {object | string} [wanted.filter] in the style of a MongoDB query
   * @param {string} [wanted.lastEventId] resumes behind a `lastEventId` kept from an earlier page
   * @param {(event: object) => void} wanted.onEvent one call per change, in order per document
   * @param {() => void} [wanted.onSubscribed] called once: every change committed from now on will be delivered
   * @param {(reason: string) => void} [wanted.onResync] changes are missing: read the current state again
   * @param {(reason: string) => void} [wanted.onError] the gateway refused the subscription, it is over
   * @returns {{readonly lastEventId: string, unsubscribe: () => void}}
   */
  subscribe(wanted) {
    if (typeof wanted?.collection !== 'string') throw new TypeError('subscribe: "collection" is missing');
    if (typeof wanted.onEvent !== 'function') throw new TypeError('subscribe: "onEvent" is no function');
    if (this.state === 'closed' || this.state === 'failed') throw new Error(`subscribe: the client is ${this.state}`);
    const subscription = new Subscription(`s${++this.#made}`, wanted);
    this.#subscriptions.set(subscription.id, subscription);
    this.#ask(subscription);
    return {
      get lastEventId() { return subscription.lastEventId; },
      unsubscribe: () => {
        if (this.#subscriptions.delete(subscription.id)) this.#send({ op: 'unsubscribe', id: subscription.id });
      },
    };
  }

  /** Ends the connection and all subscriptions. Of all callbacks only onState is called any more. */
  close() {
    this.#end('closed', '');
  }

  async #connect() {
    clearTimeout(this.#timer);
    const connection = ++this.#connection;
    this.#enter('connecting', '');
    try {
      this.#token ??= await this.#newToken();
    } catch (error) {
      if (connection === this.#connection) this.#retry(`no token: ${error?.message ?? error}`);
      return;
    }
    if (connection !== this.#connection) return;
    try {
      this.#open(connection);
    } catch (error) {
      this.#end('failed', error.message); // no address for a WebSocket, or none that this page may connect to
    }
  }

  async #newToken() {
    const { token } = this.#options;
    return (typeof token === 'function' ? await within(TOKEN_MILLIS, token()) : token) ?? '';
  }

  #open(connection) {
    const address = new URL(this.#address);
    if (this.#token) address.searchParams.set('access_token', this.#token);
    const question = address.href;
    address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
    const socket = new WebSocket(address);
    let opened = false;
    this.#socket = socket;
    this.#greetedAt = 0;
    this.#expectWithin(HANDSHAKE_MILLIS);
    socket.onopen = () => {
      opened = true;
      if (connection !== this.#connection) return socket.close();
      this.#send({ op: 'hello', version: VERSION });
      this.#subscriptions.forEach((each) => this.#ask(each));
    };
    socket.onmessage = ({ data }) => connection === this.#connection && this.#receive(JSON.parse(data));
    socket.onclose = ({ code, reason }) => connection === this.#connection && this.#lost(connection, code, reason, opened ? '' : question);
  }

  #send(message) {
    if (this.#socket?.readyState === 1) this.#socket.send(JSON.stringify(message));
  }

  #ask(subscription) {
    if (this.#subscriptions.has(subscription.id)) this.#send(subscription.request());
  }

  #receive(message) {
    if (message.hello) {
      this.#greetedAt = Date.now();
      this.#pingMillis = message.pingMillis;
    } else if (!this.#greetedAt) {
      this.#leave();
      return this.#retry(`the gateway does not speak version ${VERSION} of the protocol: ${message.error}`);
    }
    this.#expectWithin(PINGS_MISSED * this.#pingMillis * 2 ** this.#silences);
    if (message.hello) return this.#enter('live', '');
    if (message.event || message.ping) this.#silences = 0; // a ping comes only when nothing else is under way
    const subscription = this.#subscriptions.get(message.id);
    if (!subscription) return undefined;
    if (message.error === undefined) subscription.receive(message, this.#connection);
    else if (message.retry) this.#askLater(subscription);
    else this.#refused(subscription, message.error);
    return undefined;
  }

  #askLater(subscription) {
    const connection = this.#connection;
    setTimeout(() => connection === this.#connection && this.#ask(subscription), this.#pause(subscription.refusals++));
  }

  #refused(subscription, reason) {
    this.#subscriptions.delete(subscription.id);
    call(subscription.wanted.onError, reason);
  }

  /**
   * Gives up a connection on which nothing is heard: the network may swallow everything without a word. Each time the
   * patience doubles until an event or a ping arrives, because a large event may be under way on a slow line.
   */
  #expectWithin(millis) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.#greetedAt) this.#silences = Math.min(this.#silences + 1, 5);
      this.#leave();
      this.#retry(`nothing was heard for ${millis} ms`);
    }, millis);
  }

  /** @param {string} question asks why the handshake failed; empty: it did not */
  async #lost(connection, code, reason, question) {
    clearTimeout(this.#timer);
    let expired = code === 1008;
    let refused = code === 1003 || code === 1009; // this client sent what the gateway does not take
    if (question) {
      const answer = await handshakeAnswer(question);
      if (connection !== this.#connection) return;
      reason = answer.reason;
      expired = answer.status === 401;
      refused = answer.status === 400 || answer.status === 403;
    }
    if (refused || (expired && typeof this.#options.token !== 'function')) {
      return this.#end('failed', reason);
    }
    if (expired) this.#token = null;
    this.#retry(reason);
  }

  #retry(reason) {
    if (this.#greetedAt && Date.now() - this.#greetedAt > STABLE_MILLIS) this.#attempts = 0;
    this.#greetedAt = 0; // counts once: what fails next, such as getting a token, waits longer each time
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#connect(), this.#pause(this.#attempts++));
    this.#enter('waiting', reason);
  }

  /** Random, so that the clients of a gateway that restarts do not all come back at once. */
  #pause(attempts) {
    const { base, max } = this.#options.backoff;
    return Math.random() * Math.min(max, base * 2 ** Math.min(attempts, 20));
  }

  #leave() {
    this.#connection++;
    this.#socket?.close();
    this.#socket = null;
  }

  #end(state, reason) {
    if (this.state === 'closed' || this.state === 'failed') return;
    globalThis.removeEventListener?.('online', this.#wake);
    clearTimeout(this.#timer);
    this.#leave();
    const ended = [...this.#subscriptions.values()];
    this.#subscriptions.clear();
    this.#enter(state, reason);
    if (state === 'failed') ended.forEach((each) => call(each.wanted.onError, reason));
  }

  #enter(state, reason) {
    if (this.state === state && !reason) return;
    this.state = state;
    call(this.#options.onState, state, reason);
  }
}

/** What the gateway says to the same question without a WebSocket: browsers hide its answer to a handshake. */
async function handshakeAnswer(question) {
  try {
    const answer = await fetch(question, { cache: 'no-store', signal: AbortSignal.timeout(HANDSHAKE_MILLIS) });
    const reason = (await answer.text()).trim().slice(0, LONGEST_REASON);
    return { status: answer.status, reason: answer.status === UPGRADE_REQUIRED ? BLOCKED : reason };
  } catch (error) {
    return { status: 0, reason: 'the gateway cannot be reached' };
  }
}

/** Rejects when a promise is not settled in time. */
function within(millis, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing came within ${millis} ms`)), millis);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Whether an event was committed before another, by the time that their ids begin with. */
function isOlder(id, other) {
  const [time, count] = id.split('-').map(Number);
  const [otherTime, otherCount] = other.split('-').map(Number);
  return time < otherTime || (time === otherTime && count < otherCount);
}

/** An error in the application's code is reported as any other, and does not stop the client. */
function call(callback, ...values) {
  try {
    callback?.(...values);
  } catch (error) {
    queueMicrotask(() => { throw error; });
  }
}

/** One subscription, over all connections. */
class Subscription {
  lastEventId;
  refusals = 0; // in a row, of those that asked to come again

  #recent = new RecentEvents();
  #resumed = false; // it was asked for last with an id
  #held = false; // the gateway has held it once

  constructor(id, wanted) {
    this.id = id;
    this.wanted = wanted;
    this.lastEventId = wanted.lastEventId ?? '';
  }

  request() {
    this.#resumed = this.lastEventId !== '';
    const { tenant, collection, filter } = this.wanted;
    return { op: 'subscribe', id: this.id, tenant, collection, filter, lastEventId: this.lastEventId };
  }

  receive(message, connection) {
    if (message.subscribed) return this.#subscribed(message.progress);
    if (message.resync) {
      this.#recent.clear();
      call(this.wanted.onResync, message.reason);
    } else if (message.event) {
      if (!this.#recent.isRepeat(message.event, connection)) call(this.wanted.onEvent, message.event);
    }
    this.lastEventId = message.progress ?? this.lastEventId; // only now: what was not handled comes again
    return undefined;
  }

  #subscribed(progress) {
    this.refusals = 0;
    this.lastEventId = progress ?? this.lastEventId; // also where an event has overtaken this message: that one comes again
    if (!this.#held) {
      this.#held = true;
      call(this.wanted.onSubscribed);
    } else if (!this.#resumed) {
      this.#recent.clear();
      call(this.wanted.onResync, 'the gateway gave no id to resume from');
    }
  }
}

/**
 * Recognises repeats by the ids of recent events, without ever showing an old state of a document last. Changes of a document
 * come in order, and after a reconnect they begin somewhere earlier. If one of them is unknown, it is new, or so old that its
 * id was forgotten; then the changes behind it must be shown again, too, and their ids are forgotten. It is surely new when the
 * last change shown has come by on the same connection, and it is not older than that.
 */
class RecentEvents {
  #documents = new Map(); // the one changed longest ago first; each with its ids, the last id, and where that was met last
  #ids = 0;

  isRepeat(event, connection) {
    if (CONTROL_TYPES.has(event.type)) {
      this.clear();
      return false;
    }
    const name = `${event.collection}/${event.documentId}`;
    const id = `${event.id}/${event.type}`;
    const known = this.#documents.get(name);
    if (known?.ids.has(id)) {
      if (id === known.last) known.metOn = connection;
      return true;
    }
    const ids = known?.metOn === connection && !isOlder(event.id, known.last) ? known.ids : new Set();
    this.#forget(name);
    this.#documents.set(name, { ids: ids.add(id), last: id, metOn: connection });
    this.#ids += ids.size;
    this.#shrink();
    return false;
  }

  #shrink() {
    while (this.#ids > REMEMBERED_IDS) {
      const [name, { ids }] = this.#documents.entries().next().value;
      if (this.#documents.size > 1) this.#forget(name);
      else this.#ids -= ids.delete(ids.values().next().value);
    }
  }

  #forget(name) {
    this.#ids -= this.#documents.get(name)?.ids.size ?? 0;
    this.#documents.delete(name);
  }

  clear() {
    this.#documents.clear();
    this.#ids = 0;
  }
}
