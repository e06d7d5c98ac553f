// Prints every change, at least once and in order, and goes on where it stopped: node consumer.mjs [host:port]
import { readFileSync, renameSync, writeFileSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import grpc from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

const here = dirname(fileURLToPath(import.meta.url));
const proto = join(here, '../../grpc/src/main/proto/sluice/puller/v1/puller.proto');
const { PullerService } = grpc.loadPackageDefinition(loadSync(proto, { keepCase: true, longs: String, defaults: true })).sluice.puller.v1;
const client = new PullerService(process.argv[2] ?? '127.0.0.1:50051', grpc.credentials.createInsecure(), {
  'grpc.max_receive_message_length': 64 * 1024 * 1024,
});

// The consumer keeps the marker; written anew and renamed, so that a crash leaves the old one or the new one.
const file = 'sluice.marker';
const load = () => (existsSync(file) ? readFileSync(file, 'utf8') : '');
const save = (marker) => {
  writeFileSync(file + '.new', marker);
  renameSync(file + '.new', file);
};

function handle(event) {
  if (event.operation_type === 'resync') {
    console.log('changes were lost at the source: read its current state again');
    return;
  }
  console.log(event.operation_type, `${event.collection}/${event.document_id}`, event.full_document.toString());
}

function consume(wait) {
  const stream = client.SubscribeBatches({ consumer_id: 'node', after: load() });
  let delay = wait;
  stream.on('data', (batch) => {
    batch.events.forEach(handle);
    if (batch.progress) save(batch.progress); // only after all of it was handled
    delay = 100;
  });
  stream.on('error', (error) => {
    if (error.code === grpc.status.OUT_OF_RANGE) {
      // We were away longer than the retention: rebuild what is kept here, then start from the oldest event.
      console.error(error.details);
      process.exit(1);
    }
    console.error(`${error.details}; trying again in ${delay} ms`);
    setTimeout(() => consume(Math.min(delay * 2, 5000)), delay);
  });
}

consume(100);
