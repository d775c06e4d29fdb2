import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nodeNetwork } from '../../../node/network/node-network.js'
import type { Network } from '../../../src/network/types.js'
import { sample } from '../../scale.js'
import { onMachine, onOurs, versionOf } from './both-shells.js'
import { type TestServer, testServer } from './test-server.js'

const otherWget = versionOf('wget').startsWith('GNU Wget 1.21.') ? undefined : 'the emulated wget is 1.21'

let server: TestServer
let network: Network
beforeAll(async () => {
  server = await testServer()
  const methods = ['GET', 'HEAD', 'POST', 'PUT']
  network = nodeNetwork({ allow: [server.origin, 'http://127.0.0.1:9'].map((origin) => ({ origin, methods })) })
})
afterAll(() => server.close())

const given = { 'data.json': '{"a": [1, 2]}\n', list: '@HERE/named\n@HERE/text\n', part: 'The quick' }

/** Without times, speeds and the progress of each connection, which the emulated one does not draw. */
const timeless = (text: string) =>
  text
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, 'TIME')
    .replace(/ \([\d.]+ [KMG]?B\/s\)/g, '')
    .replace(/^ +\d+K[ .]*\d+%.*\n\n/gm, '')
    .replace(/^Reusing existing connection to .*\n/gm, '')
    .replace(/^Connecting to .* connected\.\n/gm, '')

const scripts = [
  'wget -q @HERE/text; wget -q @HERE/text; wget -q @HERE/named/a/b.txt; wget -q "@HERE/named/?q=a/b&c"; ls',
  'wget -qO- @HERE/echo/x; wget -q -O - @HERE/echo @HERE/named; wget -q -O out @HERE/text @HERE/named; cat out | md5sum',
  'wget -q -P a/b @HERE/text; wget -q -nc @HERE/text; wget -nc @HERE/text; wget -q --content-disposition @HERE/named',
  'wget @HERE/text; wget -nv @HERE/text; wget -nv -O- @HERE/named; wget -nv -P d @HERE/named',
  'wget @HERE/status/404; echo $?; wget -nv @HERE/status/500; echo $?; wget -q @HERE/status/404; echo $?; wget -q -O kept @HERE/status/404; echo $?; ls',
  'wget -qO- @HERE/redirect/302; wget @HERE/redirect/301; wget -q @HERE/loop; echo $?; wget -q --max-redirect=1 @HERE/hops/2; echo $?',
  'wget -qO- --header "X-A: b" -U me --referer=http://r/ @HERE/echo; wget -qO- --post-data "a=1&b" @HERE/echo; wget -qO- --post-file data.json @HERE/echo',
  'wget -qO- --method=PUT --body-data=x @HERE/echo; wget -qO- --post-data=x @HERE/redirect/302; wget -qO- --post-data=x @HERE/redirect/307',
  'wget -qO- --user ann --password secret @HERE/login; wget -q --user ann --password wrong @HERE/login; echo $?; wget -q @HERE/login; echo $?',
  'wget -qO- --auth-no-challenge --user ann --password secret @HERE/echo',
  'wget -q --spider @HERE/text; echo $?; wget -q --spider @HERE/status/404; echo $?; wget -nv --spider @HERE/text',
  'mv part text; wget -q -c @HERE/text; wget -q -c @HERE/text; echo $?; md5sum text',
  'wget -q -i list -O-; echo $?; wget -q http://127.0.0.1:9/; echo $?; wget http://127.0.0.1:9/x; echo $?',
  'wget; echo $?; wget --foo; echo $?; wget -O; echo $?; wget -q foo://x; echo $?; wget -q -i none; echo $?',
  'wget -q @HERE/named @HERE/status/404 http://127.0.0.1:9/; echo $?; wget -S -nv -O/dev/null @HERE/many',
  'wget -qO- --compression=auto @HERE/gzip; wget -qO- @HERE/gzip | zcat | md5sum',
]

describe.skipIf(otherWget !== undefined)('wget does what wget does', () => {
  test.each(sample(scripts, { every: 4 }))('%s', async (script) => {
    const full = script.replaceAll('@HERE', server.origin)
    const files = { ...given, list: given.list.replaceAll('@HERE', server.origin) }
    const [ours, theirs] = [await onOurs(full, { network, given: files }), await onMachine(full, files)]
    expect({ ...ours, stderr: timeless(ours.stderr) }).toEqual({ ...theirs, stderr: timeless(theirs.stderr) })
  })
})
