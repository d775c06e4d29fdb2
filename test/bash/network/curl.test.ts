import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nodeNetwork } from '../../../node/network/node-network.js'
import type { Network } from '../../../src/network/types.js'
import { sample, scaled, seeded } from '../../scale.js'
import { type Ended, onMachine, onOurs, versionOf } from './both-shells.js'
import { type TestServer, testServer } from './test-server.js'

const otherCurl = versionOf('curl').startsWith('curl 7.88.') ? undefined : 'the emulated curl is 7.88'
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

let server: TestServer
let elsewhere: TestServer
let network: Network
beforeAll(async () => {
  server = await testServer()
  elsewhere = await testServer()
  const origins = [server.origin, elsewhere.origin, 'http://127.0.0.1:9']
  network = nodeNetwork({ allow: origins.map((origin) => ({ origin, methods })) })
})
afterAll(() => Promise.all([server.close(), elsewhere.close()]))

const given = {
  'data.json': '{"a": [1, 2]}\n',
  'two lines': 'one\r\ntwo\n',
  'form.txt': 'a file\n',
  jar: '127.0.0.1\tFALSE\t/\tFALSE\t0\tkept\tyes\n',
}

/** Durations, which no two runs have in common. */
const timeless = (text: string) => text.replace(/after \d+ m(illi)?s(econds)?/g, 'after N ms')

async function expectSame(script: string): Promise<void> {
  const full = script.replaceAll('@HERE', server.origin).replaceAll('@THERE', elsewhere.origin)
  const [ours, theirs] = [await onOurs(full, { network, given }), await onMachine(full, given)]
  const plain = (ended: Ended) => ({ ...ended, stdout: timeless(ended.stdout), stderr: timeless(ended.stderr) })
  expect(plain(ours), script).toEqual(plain(theirs))
}

const scripts = [
  'curl -s @HERE/echo/path?x=1',
  'curl -s @HERE/echo -d a=1 -d b=2',
  'curl -s @HERE/echo --data-raw @data.json',
  'curl -s @HERE/echo -d @"two lines"; curl -s @HERE/echo --data-binary @"two lines"',
  "curl -s @HERE/echo --data-urlencode 'a=x y&z' --data-urlencode 'plain é' --data-urlencode name@data.json",
  'curl -s @HERE/echo -G -d a=1 --data-urlencode "q=x y"; curl -s "@HERE/echo?z=0" -G -d a=1',
  `curl -s @HERE/echo --json '{"a":1}'; curl -s @HERE/echo --json @data.json --json ' '`,
  'curl -s -X PUT @HERE/echo -d x; curl -sX DELETE @HERE/echo; curl -s -X PATCH -H "Content-Type: application/json" -d "{}" @HERE/echo',
  'curl -s -T data.json @HERE/echo/up',
  'curl -s -H "X-A: 1" -H "x-b:2" -H "Accept:" -H "Empty;" -H "User-Agent: me" @HERE/echo',
  'curl -s -A agent -e http://referer/ -u ann:secret @HERE/echo; curl -s @HERE/login -u ann:secret -w "%{http_code}\\n"',
  'curl -s --oauth2-bearer abc @HERE/echo; curl -s http://ann:secret@@HOST/login',
  'curl -s -b "x=1; y=2" @HERE/echo',
  'curl -s -c out @HERE/cookies; cat out; curl -s -b out @HERE/echo; curl -s -b out @HERE/echo/deep; curl -s -b jar @HERE/echo',
  'curl -s -L @HERE/redirect/302; curl -s @HERE/redirect/302; curl -si @HERE/redirect/301',
  'for code in 301 302 303 307 308; do curl -s -L -d x=1 @HERE/redirect/$code; curl -s -L -X PUT -d x @HERE/redirect/$code; done',
  'curl -s -L --post301 -d x=1 @HERE/redirect/301; curl -s -L -I @HERE/redirect/303',
  'curl -s -L -u ann:secret -H "Authorization: x" -b c=1 "@HERE/redirect/302?to=@THERE/echo"',
  'curl -s -L -u ann:secret "@HERE/redirect/302?to=@THERE/echo"; curl -s -L -b c=1 -H "Cookie: d=2" "@HERE/redirect/302?to=@THERE/echo"',
  'curl -s --location-trusted -u ann:secret "@HERE/redirect/302?to=@THERE/echo"',
  'curl -sS -L @HERE/loop; echo $?; curl -sS -L --max-redirs 2 @HERE/hops/3; echo $?; curl -s -L --max-redirs 3 @HERE/hops/3',
  'curl -sS -f @HERE/status/404; echo $?; curl -s -f @HERE/status/500; echo $?; curl -sS --fail-with-body @HERE/status/403; echo $?',
  'curl -s @HERE/status/404; echo $?; curl -sS -f -o kept @HERE/status/404; ls',
  'curl -s -i @HERE/many; curl -s -I @HERE/text; curl -sD head @HERE/many; curl -s -D - -o /dev/null @HERE/many',
  'curl -s -o out @HERE/text; curl -sO @HERE/text/name.txt; curl -s --create-dirs -o a/b/c @HERE/text; curl -sO "@HERE/text/x?q=1"',
  'curl -s -o no/such/dir @HERE/text; echo $?; curl -sS -o no/such/dir @HERE/text; echo $?; curl -sSO @HERE/; echo $?',
  'curl -s -OJ @HERE/named; curl -s --output-dir . -o x @HERE/named; curl -s -o one @HERE/text -o two @HERE/named; curl -s @HERE/named @HERE/empty @HERE/named',
  'curl -s -r 0-9 @HERE/text; curl -s -r 890- @HERE/text; head -c 100 data.json > part; curl -s -C 10 -o part @HERE/text; curl -s -C - -o part @HERE/text',
  'curl -s --compressed @HERE/gzip; curl -s --compressed @HERE/deflate; curl -s --compressed @HERE/text | md5sum; curl -s @HERE/gzip | zcat',
  'curl -s -F a=1 -F "b=@form.txt" -F "c=<form.txt" -F "d=@data.json;type=text/x;filename=other" --form-string "e=@x" @HERE/echo',
  "curl -s -o /dev/null -w '%{http_code} %{size_download} %{num_redirects} %{url_effective} %{content_type}\\n%{method}\\t%{scheme}%%|%{num_headers}' @HERE/text",
  "curl -s -o /dev/null -w '%{redirect_url} %{response_code} %{size_header}' @HERE/redirect/302; curl -s -w '%header{x-two} %{header_json}' @HERE/many",
  "curl -s -w '%{exitcode} %{errormsg} %{http_code}\\n' http://127.0.0.1:9/; echo $?; curl -s -w '%{nothing}%{urlnum}' @HERE/named",
  'curl -sS http://127.0.0.1:9/; echo $?; curl -s http://127.0.0.1:9/; echo $?; curl -sS foo://x; echo $?; curl -sS http://; echo $?',
  'curl; echo $?; curl --foo x; echo $?; curl -o; echo $?; curl -s; echo $?; curl --hea x; echo $?; curl -m x @HERE; echo $?',
  'curl -sS --max-filesize 10 @HERE/text; echo $?; curl -s -F x @HERE; echo $?; curl -sS -F a=@none @HERE/echo; echo $?; curl -sS -T none @HERE/echo; echo $?',
  'curl -s --url @HERE/named --url @HERE/named; curl -s -sS --no-silent -s @HERE/named; curl -s --no-location @HERE/redirect/302',
  'curl -s --retry 1 --retry-delay 1 @HERE/status/503; echo $?; curl -sS --retry 1 --retry-delay 1 @HERE/status/500',
  'curl -s --url-query "a=x y" --url-query +raw=1 @HERE/echo; curl -s "@HERE/echo/%7Euser/a%20b?q=%C3%A9"; curl -s @HERE/echo#part',
  'curl -sI @HERE/status/204; curl -s -X OPTIONS -i @HERE/empty; curl -s -d "" @HERE/echo; curl -s -X POST @HERE/echo',
  'curl -s -d a=1 -I @HERE/echo; echo $?; curl -sS "@HERE/a b"; echo $?; curl -s -b none -L @HERE/cookies; curl -s -b "" -L @HERE/cookies @HERE/echo',
]

describe.skipIf(otherCurl !== undefined)('curl does what curl does', () => {
  test.each(sample(scripts, { every: 4 }))('%s', (script) =>
    expectSame(script.replaceAll('@HOST', server.origin.slice(7))),
  )

  test('generated calls', async () => {
    const random = numbers(seeded(3))
    for (let count = 0; count < scaled(200); count += 1) await expectSame(generated(random))
  })
})

function numbers(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

function generated(random: (below: number) => number): string {
  const pick = (...all: string[]) => all[random(all.length)] as string
  const path = pick(
    '/echo',
    '/echo/a/b?x=1',
    '/text',
    '/status/404',
    '/status/201',
    '/redirect/302',
    '/redirect/307',
    '/redirect/303?to=/text',
    '/hops/2',
    '/many',
    '/gzip',
    '/cookies',
    '/login',
    '/empty',
  )
  const options = [
    pick('-s', '-sS', '-s'),
    ...Array.from({ length: random(4) }, () =>
      pick(
        '-L',
        '-f',
        '-i',
        '-L',
        '-d a=b',
        '-d @data.json',
        '-H "X-Y: z"',
        '-X PUT',
        '-u ann:secret',
        '-b q=1',
        '-o out',
        '-A me',
        '--compressed',
        '-G -d q=1',
        "-w '%{http_code}'",
        '-e ref',
        '--json {}',
        '-r 2-5',
        '-c jar2',
        '--fail-with-body',
        '-D -',
        '-D head',
      ),
    ),
  ]
  return `curl ${options.join(' ')} '@HERE${path}'; echo " $?"`
}

test('without a network curl and wget end as offline, and say how the host allows it', async () => {
  const how = (rule: string) =>
    `This shell has no network; its host allows it with a rule such as '${rule}' (--network).\n`
  expect(await onOurs('curl -s https://example.com/x')).toEqual({
    stdout: '',
    stderr: `curl: ${how('https://example.com')}`,
    exitCode: 6,
    files: {},
  })
  expect(await onOurs('curl -sS -d x http://10.0.0.1:80/; wget -q http://example.com/a')).toEqual({
    stdout: '',
    stderr: `curl: (7) Failed to connect to 10.0.0.1 port 80 after 0 ms: Couldn't connect to server\ncurl: ${how('GET,POST http://10.0.0.1')}wget: ${how('http://example.com')}`,
    exitCode: 4,
    files: {},
  })
})
