/**
 * The script of a service worker that gives a page's files an HTTP address, for agents that take nothing else. It has no files: it passes
 * requests to the page that serves them. `?path=` in its own address names the path it intercepts; other requests are untouched.
 */
import { relayRequests } from './service-worker-relay.js'

declare const self: ServiceWorkerGlobalScope

const path = new URL(self.location.href).searchParams.get('path') ?? '/mcp'

self.addEventListener('install', () => void self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))
relayRequests((asked) => asked === path)
