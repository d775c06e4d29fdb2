import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { sharedAnswers } from '../../../bash/programs/threads/shared-answers.js'
import { answerBytes, dataAt, word } from '../../../bash/programs/threads/shared-memory.js'

/** Answers when it is asked, but first gives notice as for an answer before. */
const host = `
const { parentPort, workerData: { shared, dataAt, word } } = require('node:worker_threads')
const words = new Int32Array(shared, 0, dataAt / 4)
parentPort.on('message', () => {
  while (Atomics.notify(words, word.state) === 0);
  Atomics.wait(words, word.text, words[word.text], 50)
  const text = new TextEncoder().encode('{"value":"right"}')
  new Uint8Array(shared, dataAt).set(text)
  words[word.text] = words[word.piece] = text.length
  Atomics.store(words, word.state, 1)
  Atomics.notify(words, word.state)
})
parentPort.postMessage('ready')
`

test('a late notice of one answer does not end the wait for the next', async () => {
  const shared = new SharedArrayBuffer(dataAt + answerBytes)
  const words = new Int32Array(shared, 0, dataAt / 4)
  const stale = new TextEncoder().encode('{"value":"stale"}')
  new Uint8Array(shared, dataAt).set(stale)
  words[word.text] = stale.length
  words[word.piece] = stale.length
  const worker = new Worker(host, { eval: true, workerData: { shared, dataAt, word } })
  try {
    await new Promise((resolve) => worker.once('message', resolve))
    const answer = sharedAnswers(
      shared,
      (message) => worker.postMessage(message),
      (error) => new Error(error),
    )
    expect(answer({ name: 'list', given: ['/'] })).toBe('right')
  } finally {
    await worker.terminate()
  }
})
