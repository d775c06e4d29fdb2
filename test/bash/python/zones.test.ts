/** Time zones that Python reads as files, compared with those of the real one. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { pythonBash } from './bash.js'

const { python } = pythonBash()
const zones = [
  'Europe/Berlin',
  'Europe/London',
  'America/New_York',
  'America/Los_Angeles',
  'America/Sao_Paulo',
  'Asia/Kolkata',
  'Asia/Tokyo',
  'Australia/Sydney',
  'Pacific/Auckland',
  'Africa/Cairo',
  'UTC',
  'Etc/GMT+5',
]

/** Offsets everywhere, and names since 1973: before that they are Intl's. */
const code = `
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError
from datetime import datetime, timedelta, timezone
for name in ${JSON.stringify(zones)}:
    zone = ZoneInfo(name)
    at = datetime(1920, 1, 3, 5, tzinfo=timezone.utc)
    while at.year < 2070:
        local = at.astimezone(zone)
        print(local.isoformat(), local.tzname() if at.year >= 1973 else '', local.dst() != timedelta(0) if at.year >= 1973 else '')
        at += timedelta(days=41, hours=7)
try: ZoneInfo('Europe/Nowhere')
except ZoneInfoNotFoundError: print('not found')
try: ZoneInfo('europe/berlin')
except ZoneInfoNotFoundError: print('not found')
`

test(`${zones.length} zones`, { timeout: 120_000 }, async ({ skip }) => {
  if (!existsSync('/usr/share/zoneinfo/Europe/Berlin')) skip('there are no files of time zones here')
  const { stdout, stderr } = await python(code)
  expect(stderr).toBe('')
  const theirs = execFileSync('python3', ['-c', code], { encoding: 'utf8', maxBuffer: 1 << 26 }).split('\n')
  const different = stdout.split('\n').flatMap((line, index) => (line === theirs[index] ? [] : [[line, theirs[index]]]))
  expect(different).toEqual([])
})
