import type { Random } from '../core/search/generated-trees.js'

const marks = ['PK\x01\x02', 'PK\x03\x04', 'PK\x05\x06', 'PK\x06\x06', 'PK\x06\x07', 'PK\x07\x08']

/** Damage of one kind or several: anywhere, or in a record of the format. */
export function mutated(whole: Buffer, random: Random): Buffer {
  let bytes = Buffer.from(whole)
  for (let count = 1 + random(3); count > 0; count -= 1) {
    const place = random(3) === 0 ? random(bytes.length) : placeInRecord(bytes, random)
    const kind = random(8)
    const length = Math.min(bytes.length - place, 1 + random(kind === 4 ? 200 : 8))
    if (length <= 0) continue
    if (kind < 2) bytes.writeUInt8((bytes[place] as number) ^ (1 << random(8)), place)
    else if (kind === 2) bytes.fill([0, 0xff, 0x7f, 0x2e, 0x2f][random(5)] as number, place, place + length)
    else if (kind === 3) bytes = Buffer.concat([bytes.subarray(0, place), bytes.subarray(place + length)])
    else if (kind === 4)
      bytes = Buffer.concat([bytes.subarray(0, place), bytes.subarray(place - Math.min(place, length))])
    else if (kind === 5) bytes = bytes.subarray(0, place + 1)
    else if (kind === 6) bytes.set(bytes.subarray(placeInRecord(bytes, random)).subarray(0, length), place)
    else bytes = Buffer.concat([bytes.subarray(0, place), Buffer.from('../'), bytes.subarray(place + 3)])
  }
  return bytes
}

function placeInRecord(bytes: Buffer, random: Random): number {
  const mark = marks[random(marks.length)] as string
  const found: number[] = []
  for (let place = bytes.indexOf(mark, 0, 'latin1'); place >= 0; place = bytes.indexOf(mark, place + 1, 'latin1')) {
    found.push(place)
  }
  if (found.length === 0) return random(Math.max(1, bytes.length))
  return Math.min(bytes.length - 1, (found[random(found.length)] as number) + random(60))
}
