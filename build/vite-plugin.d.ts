import type { Plugin } from 'vite'

export function nodeShimAliases(): { find: RegExp; replacement: string }[]
export function nodeShims(): Plugin

export const gitChunk: { name: string; test: RegExp }
