/** Addresses that are not those of a public server. */
import { BlockList, isIPv6 } from 'node:net'

const blocks = {
  ipv4: '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4',
  // Among them those that hold an address of version 4: translated, tunnelled, or written as one of version 6.
  ipv6: '::/96 ::ffff:0:0/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 2002::/16 3fff::/20 5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8',
} as const

function blockList(family: keyof typeof blocks): BlockList {
  const list = new BlockList()
  for (const block of blocks[family].split(' ')) {
    const [address = '', bits] = block.split('/')
    list.addSubnet(address, Number(bits), family)
  }
  return list
}

const lists = { ipv4: blockList('ipv4'), ipv6: blockList('ipv6') }

export function isPrivateAddress(address: string): boolean {
  const plain = address.replace(/%.*$/, '')
  return isIPv6(plain) ? lists.ipv6.check(plain, 'ipv6') : lists.ipv4.check(plain, 'ipv4')
}

/** The same address, however it is written. */
export function isSameAddress(one: string, other: string): boolean {
  if (isIPv6(one) !== isIPv6(other)) return false
  const list = new BlockList()
  const family = isIPv6(one) ? 'ipv6' : 'ipv4'
  list.addAddress(one, family)
  return list.check(other, family)
}
