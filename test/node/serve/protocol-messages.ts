/** Messages that break servers, and the response that each must get. */

/** A protocol error code, a result, a failed tool result, or no response. */
export type Answer = number | 'result' | 'failure' | 'none'

export interface ProtocolMessage {
  name: string
  /** One line, without its end; `ID` stands for an id of its own. */
  line: string | Buffer
  answer: Answer
  /** The response can't have the request's id. */
  withoutId?: true
}

const call = (params: string) => `{"jsonrpc":"2.0","id":ID,"method":"tools/call","params":${params}}`
const read = (args: string) => call(`{"name":"read_file","arguments":${args}}`)
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
const bytes = (text: string, from: string, to: number[]) => {
  const [before = '', after = ''] = text.split(from)
  return Buffer.concat([Buffer.from(before), Buffer.from(to), Buffer.from(after)])
}
const hello = (version: string) =>
  `{"jsonrpc":"2.0","id":ID,"method":"initialize","params":{"protocolVersion":"${version}","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`

export const protocolMessages: ProtocolMessage[] = [
  { name: 'a member too many', line: '{"jsonrpc":"2.0","id":ID,"method":"ping","extra":{}}', answer: -32600 },
  { name: '_meta a number', line: '{"jsonrpc":"2.0","id":ID,"method":"ping","params":{"_meta":5}}', answer: -32602 },
  {
    name: 'progress token an object',
    line: '{"jsonrpc":"2.0","id":ID,"method":"ping","params":{"_meta":{"progressToken":{}}}}',
    answer: -32602,
  },
  { name: 'garbage', line: 'this is not json', answer: -32700, withoutId: true },
  { name: 'empty line', line: '', answer: 'none' },
  { name: 'only a carriage return', line: '\r', answer: 'none' },
  { name: 'half a message', line: '{"jsonrpc":"2.0","id":ID,"method":', answer: -32700, withoutId: true },
  { name: 'null', line: 'null', answer: -32600, withoutId: true },
  { name: 'number', line: '42', answer: -32600, withoutId: true },
  { name: 'string', line: '"hello"', answer: -32600, withoutId: true },
  { name: 'true', line: 'true', answer: -32600, withoutId: true },
  { name: 'empty object', line: '{}', answer: -32600, withoutId: true },
  { name: 'empty array', line: '[]', answer: -32600, withoutId: true },
  { name: 'batch of two', line: `[${read('{}')},${read('{}')}]`, answer: -32600, withoutId: true },
  { name: 'wrong version', line: '{"jsonrpc":"1.0","id":ID,"method":"ping"}', answer: -32600 },
  { name: 'no version', line: '{"id":ID,"method":"ping"}', answer: -32600 },
  { name: 'unknown method', line: '{"jsonrpc":"2.0","id":ID,"method":"no/such"}', answer: -32601 },
  { name: 'unknown notification', line: '{"jsonrpc":"2.0","method":"notifications/no-such"}', answer: 'none' },
  { name: 'unknown tool', line: call('{"name":"no_such","arguments":{}}'), answer: 'failure' },
  { name: 'tool __proto__', line: call('{"name":"__proto__","arguments":{}}'), answer: 'failure' },
  { name: 'tool constructor', line: call('{"name":"constructor","arguments":{}}'), answer: 'failure' },
  { name: 'missing arguments', line: call('{"name":"read_file"}'), answer: 'failure' },
  { name: 'arguments null', line: read('null'), answer: -32602 },
  { name: 'arguments an array', line: read('[]'), answer: -32602 },
  { name: 'path a number', line: read('{"path":7}'), answer: 'failure' },
  { name: 'path an object', line: read('{"path":{"a":1}}'), answer: 'failure' },
  { name: 'limit negative', line: read('{"path":"a.txt","limit":-1}'), answer: 'failure' },
  { name: 'limit a fraction', line: read('{"path":"a.txt","limit":1.5}'), answer: 'failure' },
  { name: 'limit 1e308', line: read('{"path":"a.txt","limit":1e308}'), answer: 'failure' },
  { name: 'limit 1e9', line: read('{"path":"a.txt","limit":1000000000}'), answer: 'result' },
  { name: 'prototype pollution', line: read('{"path":"a.txt","__proto__":{"polluted":1}}'), answer: 'result' },
  { name: 'duplicate keys', line: read('{"path":"none","path":"a.txt"}'), answer: 'result' },
  { name: 'id null', line: '{"jsonrpc":"2.0","id":null,"method":"ping"}', answer: -32600, withoutId: true },
  { name: 'id an object', line: '{"jsonrpc":"2.0","id":{},"method":"ping"}', answer: -32600, withoutId: true },
  { name: 'id a fraction', line: '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', answer: -32600, withoutId: true },
  { name: 'id huge', line: '{"jsonrpc":"2.0","id":1e400,"method":"ping"}', answer: -32600, withoutId: true },
  { name: 'answer to nothing', line: '{"jsonrpc":"2.0","id":ID,"result":{}}', answer: 'none' },
  { name: 'error to nothing', line: '{"jsonrpc":"2.0","id":ID,"error":{"code":1,"message":"x"}}', answer: 'none' },
  { name: 'nested 10 thousand deep', line: read(`{"path":${nested(10_000)}}`), answer: -32600 },
  { name: 'nested a million deep', line: read(`{"path":${nested(1_000_000)}}`), answer: -32600 },
  { name: 'broken UTF-8', line: bytes('{"jsonrpc":"2.0","id":ID,"method":"p@g"}', '@', [0xff, 0xc0]), answer: -32601 },
  { name: 'byte-order mark', line: '\uFEFF{"jsonrpc":"2.0","id":ID,"method":"ping"}', answer: -32700, withoutId: true },
  { name: 'NUL in the line', line: '{"jsonrpc":"2.0",\0"id":ID,"method":"ping"}', answer: -32700, withoutId: true },
  { name: 'initialized again', line: hello('2025-11-25'), answer: 'result' },
  { name: 'initialized with a made-up revision', line: hello('1999-01-01'), answer: 'result' },
  { name: 'lone surrogate', line: read('{"path":"\\ud800"}'), answer: 'failure' },
  { name: 'line of 9 MB', line: read(`{"path":"${'x'.repeat(9 << 20)}"}`), answer: 'failure' },
  { name: 'line of 11 MB', line: read(`{"path":"${'x'.repeat(11 << 20)}"}`), answer: 'failure' },
  {
    name: 'cancels nothing',
    line: '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"none"}}',
    answer: 'none',
  },
  {
    name: 'progress of nothing',
    line: '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"none","progress":1}}',
    answer: 'none',
  },
]
