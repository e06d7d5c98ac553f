// Prints the changes of a collection as they happen, and goes on where it stopped:
//   node client.mjs [http://host:port] COLLECTION [FILTER]               server-sent events
//   node client.mjs --websocket [http://host:port] COLLECTION [FILTER]   a WebSocket: room for many subscriptions
// Needs Node.js 18 (22 for the WebSocket) and nothing else. A token, where the server asks for one: SLUICE_TOKEN=…
const args = process.argv.slice(2);
const websocket = args[0] === '--websocket' && args.shift();
const server = args[0]?.startsWith('http') ? args.shift() : 'http://127.0.0.1:8090';
const [collection, filter = '{}'] = args;
const token = process.env.SLUICE_TOKEN;

function handle(event) {
  console.log(event.type, `${event.collection}/${event.documentId}`, JSON.stringify(event.document));
}
const resync = () => console.log('resync: changes are missing, read the current state again');
const wait = (ms) => new Promise((done) => setTimeout(done, ms));

// What was handled last. Kept in a file, it survives this process, too.
let lastId = '';

async function listen() {
  const query = new URLSearchParams({ collection, filter });
  const headers = { accept: 'text/event-stream', ...(lastId && { 'last-event-id': lastId }) };
  if (token) headers.authorization = `Bearer ${token}`;
  const answer = await fetch(`${server}/v1/events?${query}`, { headers });
  if (answer.status >= 400 && answer.status < 500) {
    console.error(await answer.text());
    process.exit(1); // asking again would not help
  }
  if (!answer.ok) throw new Error(`the gateway answers ${answer.status}`);
  console.log('listening');
  let rest = '';
  for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) {
    const messages = (rest + piece).split('\n\n');
    rest = messages.pop();
    messages.forEach(message);
  }
}

function message(text) {
  const field = (name) => text.split('\n').find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  if (field('event') === 'refused') {
    console.error(JSON.parse(field('data')).reason);
    process.exit(1); // asking again would not help
  }
  if (field('event') === 'resync') resync();
  else if (field('data')) handle(JSON.parse(field('data')));
  lastId = field('id') ?? lastId; // only after it was handled
}

if (websocket) {
  const { Sluice } = await import('../browser-client/sluice.js'); // reconnects and resumes by itself
  const sluice = new Sluice(server, { token, onState: (state, reason) => reason && console.error(`${state}: ${reason}`) });
  sluice.subscribe({
    collection,
    filter,
    onEvent: handle,
    onResync: resync,
    onSubscribed: () => console.log('listening'),
    onError: (reason) => { console.error(reason); process.exit(1); },
  });
} else {
  for (let pause = 200; ; pause = Math.min(pause * 2, 5000)) {
    const began = Date.now();
    try {
      await listen();
    } catch (error) {
      console.error(`${error.cause?.message ?? error.message}; trying again`);
    }
    if (Date.now() - began > 5000) pause = 200;
    await wait(pause);
  }
}
