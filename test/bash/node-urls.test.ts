import fs from 'node:fs'
import { expect, test } from 'vitest'
import { scaled, seeded } from '../scale.js'
import { bothNodes, otherVersion } from './same-as-node.js'

const script = fs.readFileSync(new URL('generated/node-addresses.cjs', import.meta.url), 'utf8')
const nodes = bothNodes()

test('addresses are read, changed and printed as in Node', async ({ skip }) => {
  if (otherVersion !== undefined) skip(otherVersion)
  const seed = seeded(1)
  const { ours, theirs } = await nodes.both({ 'main.cjs': script }, ['main.cjs', `${seed}`, `${scaled(2000)}`])
  const [got, wanted] = [ours, theirs].map(({ stdout }) => stdout.split('\n'))
  expect(got?.filter((line, at) => line !== wanted?.[at])).toEqual([])
  expect(got?.length).toBe(wanted?.length)
}, 120_000)

test('the older functions read, join and print addresses as in Node', async ({ skip }) => {
  if (otherVersion !== undefined) skip(otherVersion)
  const old = fs.readFileSync(new URL('generated/node-old-addresses.cjs', import.meta.url), 'utf8')
  const { ours, theirs } = await nodes.both({ 'main.cjs': old }, ['main.cjs', `${seeded(1)}`, `${scaled(600)}`])
  const [got, wanted] = [ours, theirs].map(({ stdout }) => stdout.split('\n'))
  expect(got?.filter((line, at) => line !== wanted?.[at])).toEqual([])
  expect(got?.length).toBe(wanted?.length)
}, 60_000)

test('files and addresses of files lead to each other as in Node', async ({ skip }) => {
  if (otherVersion !== undefined) skip(otherVersion)
  const main = `const { fileURLToPath, pathToFileURL, URL: Same } = require('url')
console.log(Same === URL, Object.keys(URL.prototype).sort(), String(URL.prototype[Symbol.toStringTag]))
for (let code = 1; code < 128; code += 1) console.log(pathToFileURL('/a' + String.fromCharCode(code) + 'b').href, pathToFileURL('/a' + String.fromCharCode(code)).href)
for (const given of ['file:///a%2fb', 'file://host/a', 'http://a/b', 'file:///%E4%B8%AD', 5, {}, 'nothing']) {
  try { console.log(fileURLToPath(given)) } catch (error) { console.log(error.name, error.code, error.message) }
}
console.log(new URL('http://u:p@h:81/p?q=1#f'), new URLSearchParams('a=1&b'))`
  const { ours, theirs } = await nodes.both({ 'main.cjs': main }, ['main.cjs'])
  expect(ours).toEqual({ ...theirs, stderr: ours.stderr })
})
