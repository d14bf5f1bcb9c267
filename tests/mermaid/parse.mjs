// Usage: node parse.mjs FILE...
// Says of each Mermaid file what Mermaid makes of it, as a line of JSON: either its `error`, or
// its `type` and how many `nodes`, `links` and `groups` it has.
import { readFileSync } from 'node:fs';
import { JSDOM } from 'jsdom';

// Mermaid expects a browser, even where it draws nothing.
const { window } = new JSDOM('');
Object.assign(globalThis, { window, document: window.document });
const { default: mermaid } = await import('mermaid');
mermaid.initialize({ startOnLoad: false, maxTextSize: 1e8, maxEdges: 1e6 });

async function describe(file) {
  try {
    const { type, db } = await mermaid.mermaidAPI.getDiagramFromText(readFileSync(file, 'utf8'));
    return {
      type,
      nodes: db.getVertices().size,
      links: db.getEdges().length,
      groups: db.getSubGraphs().length,
    };
  } catch (error) {
    return { error: String(error.message ?? error) };
  }
}

for (const file of process.argv.slice(2)) {
  console.log(JSON.stringify({ file, ...(await describe(file)) }));
}
