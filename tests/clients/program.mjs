// Starts the program under test, and connects the official SDK's client to it.

import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const PROGRAM = process.env.ZERO_PROGRAM ?? "zero";
// The built-in library to use instead of the program's own copy.
const LIBRARY = process.env.ZERO_BUILTIN ? ["--builtin", process.env.ZERO_BUILTIN] : [];
// A first picture compiles every shader, without a graphics card on the processor.
export const PATIENCE_MILLIS = 120_000;

/** The revision with a handshake, and the one without. */
export const ERAS = {
    "2025-11-25": { mode: "legacy" },
    "2026-07-28": { mode: { pin: "2026-07-28" } },
};

/** A new world in a folder of its own. */
export function makeWorld() {
    const folder = mkdtempSync(join(tmpdir(), "zero-client-"));
    const world = join(folder, "world");
    execFileSync(PROGRAM, [...LIBRARY, "new", world], { stdio: ["ignore", "ignore", "inherit"] });
    return { path: world, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A connected client; `close` ends the program too, and answers how it ended. */
export async function connect(transportName, world, era) {
    const client = new Client(
        { name: "Discovery", version: "1.0.0" },
        { versionNegotiation: ERAS[era], capabilities: {} },
    );
    // Anything on standard output that is not the protocol ends up here.
    const strays = [];
    client.onerror = (error) => strays.push(error.message);
    const open = { stdio: openStdio, http: openHttp }[transportName];
    const { transport, end } = await open(world);
    await client.connect(transport, { timeout: PATIENCE_MILLIS });
    const close = async () => {
        await client.close();
        await end();
    };
    return { client, strays, close };
}

async function openStdio(world) {
    const transport = new StdioClientTransport({
        command: PROGRAM,
        args: [...LIBRARY, "--world", world, "mcp"],
        env: process.env,
        stderr: "inherit",
        maxBufferSize: 256 << 20,
    });
    return { transport, end: async () => {} };
}

async function openHttp(world) {
    const server = spawn(PROGRAM, [...LIBRARY, "--world", world, "serve", "--json"], {
        stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = new Promise((resolve) => server.once("exit", (code, signal) => resolve(code ?? signal)));
    const line = new Promise((resolve) => createInterface(server.stdout).once("line", resolve));
    const said = await Promise.race([line, ended]);
    if (typeof said !== "string") {
        throw new Error(`the server ended with ${said} before it listened`);
    }
    const { url, tokenPath } = JSON.parse(said);
    const token = readFileSync(tokenPath, "utf8").trim();
    const transport = new StreamableHTTPClientTransport(new URL(url), {
        requestInit: { headers: { Authorization: `Bearer ${token}` } },
    });
    const end = async () => {
        server.kill("SIGTERM");
        const how = await ended;
        if (how !== 0) {
            throw new Error(`the server ended with ${how}`);
        }
    };
    return { transport, end };
}
