import { expect, test } from 'vitest'
import { headerArguments, headerFault } from '../../../src/mcp/http/header-arguments.js'

const wanted = headerArguments({
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    place: { type: 'object', properties: { floor: { type: 'integer', 'x-mcp-header': 'Floor' } } },
    urgent: { type: 'boolean', 'x-mcp-header': 'Urgent' },
    other: { type: 'string' },
  },
})

test.each<[args: unknown, headers: Record<string, string>, fault: string | undefined]>([
  [{}, {}, undefined],
  [undefined, {}, undefined],
  [{ region: null, other: 'x' }, {}, undefined],
  [{}, { 'mcp-param-region': 'ignored' }, undefined],
  [{ region: 'eu' }, { 'mcp-param-region': 'eu' }, undefined],
  [{ region: 'eu' }, {}, 'Header Mcp-Param-Region is missing'],
  [{ region: 'eu' }, { 'mcp-param-region': 'us' }, 'Header Mcp-Param-Region does not match the argument region'],
  [{ region: 'Zürich\n' }, { 'mcp-param-region': '=?base64?WsO8cmljaAo=?=' }, undefined],
  [{ region: 'x' }, { 'mcp-param-region': '=?base64?WsO8cmljaAo?=' }, 'Header Mcp-Param-Region is not valid base64'],
  [{ region: 'x' }, { 'mcp-param-region': '=?base64?/w==?=' }, 'Header Mcp-Param-Region is not valid base64'],
  [{ region: '=?base64?eA==' }, { 'mcp-param-region': '=?base64?eA==' }, undefined],
  [{ place: { floor: 3 } }, { 'mcp-param-floor': '3.0' }, undefined],
  [
    { place: { floor: 3 } },
    { 'mcp-param-floor': ' 3' },
    'Header Mcp-Param-Floor does not match the argument place.floor',
  ],
  [{ urgent: true }, { 'mcp-param-urgent': 'true' }, undefined],
])('%j with %j', (args, headers, fault) => {
  expect(headerFault(wanted, args, { get: (name) => headers[name.toLowerCase()] ?? null })).toBe(fault)
})
