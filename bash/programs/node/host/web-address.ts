/** Addresses as the `URL` of the platform reads and changes them: its rules, also for international names, are those of Node. */
import type { Value } from '../engine/machine.js'

const parts = [
  'href',
  'origin',
  'protocol',
  'username',
  'password',
  'host',
  'hostname',
  'port',
  'pathname',
  'search',
  'hash',
] as const
type Address = Record<(typeof parts)[number], string>

/** Its parts; null where it is none. */
export function readAddress(text: string, base: string | null): Value {
  try {
    return partsOf(addressOf(text, base))
  } catch (error) {
    if (error instanceof TypeError) return null
    throw error
  }
}

/** The parts of an address of which one was set. What it can't be set to changes nothing. */
export function changeAddress(href: string, part: keyof Address, value: string): Value {
  const address = addressOf(href, null)
  address[part] = value
  return partsOf(address)
}

function addressOf(text: string, base: string | null): Address {
  return (base === null ? new URL(text) : new URL(text, base)) as unknown as Address
}

function partsOf(address: Address): Value {
  return Object.fromEntries(parts.map((part) => [part, address[part]]))
}
