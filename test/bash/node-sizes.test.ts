import { expect, test } from 'vitest'
import { bothNodes, otherVersion } from './same-as-node.js'

const nodes = bothNodes()

test('what can not be made of a size is said as in Node, and random bytes come in the sizes that are asked for', async ({
  skip,
}) => {
  if (otherVersion !== undefined) skip(otherVersion)
  const wrong = ['new Uint8Array(-1)', 'new Float64Array(-5)', 'new ArrayBuffer(-1)', 'new Uint8Array(1e16)']
  const others = ['new DataView(new ArrayBuffer(4)).getInt8(9)', 'BigInt.asIntN(-1, 1n)']
  const caught = [...wrong, ...others].map(
    (code) => `try { ${code} } catch (error) { console.log(error.name, error.message) }`,
  )
  const sizes = `const { randomBytes } = require('crypto')
const seen = new Set()
for (let i = 0; i < 400; i += 1) {
  const one = randomBytes(i * 4 + 16), other = crypto.getRandomValues(new Uint32Array(5))
  seen.add(one.toString('hex', 0, 16)).add(other.join())
  if (one.length !== i * 4 + 16 || one.subarray(-8).every((byte) => byte === 0)) console.log('wrong', i)
}
console.log(seen.size)`
  const { ours, theirs } = await nodes.both({ 'main.js': [...caught, sizes].join('\n') }, ['main.js'])
  expect(ours).toEqual(theirs)
})
