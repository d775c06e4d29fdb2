/** The MIME type for the extension of a name; undefined when it has none. */
export function mimeType(name: string): string | undefined {
  const extension = extensionOf(name)
  return extension && (types[extension.toLowerCase()] ?? 'application/octet-stream')
}

/** The extension of a name; undefined when it is empty, or when the name only begins with a dot. */
export function extensionOf(name: string): string | undefined {
  const dot = name.lastIndexOf('.')
  return dot > 0 && dot < name.length - 1 ? name.slice(dot + 1) : undefined
}

const types: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    'image/png': 'png',
    'image/jpeg': 'jpg jpeg',
    'image/gif': 'gif',
    'image/webp': 'webp',
    'image/svg+xml': 'svg',
    'image/x-icon': 'ico',
    'image/bmp': 'bmp',
    'image/tiff': 'tiff tif',
    'image/avif': 'avif',
    'image/heic': 'heic',
    'image/heif': 'heif',
    'audio/mpeg': 'mp3',
    'audio/wav': 'wav',
    'audio/ogg': 'ogg',
    'audio/flac': 'flac',
    'audio/aac': 'aac',
    'audio/mp4': 'm4a',
    'audio/x-ms-wma': 'wma',
    'audio/opus': 'opus',
    'video/mp4': 'mp4',
    'video/webm': 'webm',
    'video/x-msvideo': 'avi',
    'video/quicktime': 'mov',
    'video/x-ms-wmv': 'wmv',
    'video/x-matroska': 'mkv',
    'video/x-flv': 'flv',
    'application/pdf': 'pdf',
    'text/plain': 'txt log',
    'text/markdown': 'md markdown',
    'application/json': 'json jsonc',
    'application/xml': 'xml',
    'text/yaml': 'yaml yml',
    'text/html': 'html htm',
    'text/css': 'css',
    'text/javascript': 'js mjs cjs',
    'text/typescript': 'ts tsx',
    'application/zip': 'zip',
    'application/x-tar': 'tar',
    'application/gzip': 'gz',
    'application/x-7z-compressed': '7z',
    'application/vnd.rar': 'rar',
    'font/ttf': 'ttf',
    'font/otf': 'otf',
    'font/woff': 'woff',
    'font/woff2': 'woff2',
    'application/wasm': 'wasm',
  }).flatMap(([type, extensions]) => extensions.split(' ').map((extension) => [extension, type])),
)
