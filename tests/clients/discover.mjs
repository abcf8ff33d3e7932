// What an agent does that has never seen the engine: finds its way, makes something, and looks
// at it. Over one transport (`stdio` or `http`), in both eras of the protocol.

import { ERAS, PATIENCE_MILLIS, connect, makeWorld } from "./program.mjs";

const TOOLS = [
    "cancel", "capture", "describe_tool", "edit", "edit_file", "execute", "guides", "pause", "play",
    "read_file", "search_tools", "use_tool", "wait", "write_file",
];

const COMPONENT = "/zero/source/riser.component/init.luau";
const RISER = `-- Lifts its entity, at a steady rate.

public = {
    metresPerSecond = Field.number(2, Sync, "How far the entity rises in a second."),
}

function update(dt)
    local here = self.entity.position
    self.entity.position = vector.create(here.x, here.y + public.metresPerSecond * dt, here.z)
end
`;
const SPAWN = `
tools.use("entityOps", "spawn", "sun", {
    rotationDegrees = { -35, 40, 0 },
    components = { DirectionalLight = {} },
})
return #entity.findAll()
`;
const VIEW = { source: "position", position: [0, 2, 8], lookAt: [0, 1.5, 0], width: 160, height: 120 };

let passed = 0;
let failed = 0;

function check(what, holds, seen) {
    if (holds) {
        passed += 1;
    } else {
        failed += 1;
        console.error(`FAILED: ${what}${seen === undefined ? "" : `\n  seen: ${JSON.stringify(seen)?.slice(0, 2000)}`}`);
    }
    return holds;
}

const textOf = (result) => result.content.find((block) => block.type === "text")?.text ?? "";

/** Calls a tool that has to work; the SDK checks the reply against the tool's output schema. */
async function use(client, name, args = {}) {
    const result = await client.callTool({ name, arguments: args }, { timeout: PATIENCE_MILLIS });
    check(`${name} ${JSON.stringify(args).slice(0, 100)} works`, result.isError !== true, result.content);
    return result;
}

async function refused(client, name, args) {
    const result = await client.callTool({ name, arguments: args }, { timeout: PATIENCE_MILLIS });
    check(`${name} ${JSON.stringify(args)} is refused`, result.isError === true, result);
    return textOf(result);
}

/** The picture as base64, or none on a machine that cannot draw and need not. */
async function look(client) {
    const result = await client.callTool({ name: "capture", arguments: VIEW }, { timeout: PATIENCE_MILLIS });
    const picture = result.content.find((block) => block.type === "image");
    if (result.isError && textOf(result).includes("[gpu/") && !process.env.ZERO_REQUIRE_GPU) {
        return undefined;
    }
    check("capture answers a PNG", picture?.mimeType === "image/png" && picture.data.startsWith("iVBOR"), result.content);
    return picture?.data;
}

async function discover(client) {
    const { tools } = await client.listTools();
    check("the tools are those of the protocol, in order", tools.map((tool) => tool.name).join() === TOOLS.join(), tools);
    check("each has a title and annotations", tools.every((tool) => tool.title && tool.annotations));
    check("the server says where to start", client.getInstructions()?.includes("getting-started"));

    const guide = textOf(await use(client, "guides", { path: "core/getting-started" }));
    check("the first guide leads to a picture", guide.length > 500 && guide.includes("capture"), guide);
    const boxes = (await use(client, "search_tools")).structuredContent;
    check("there are toolboxes", JSON.stringify(boxes).includes("entityOps"), boxes);
    const described = (await use(client, "describe_tool", { tool: "entityOps.spawn" })).structuredContent;
    check("a tool tells its arguments", JSON.stringify(described).includes("position"), described);
}

async function make(client) {
    const before = await look(client);
    const written = (await use(client, "write_file", { path: COMPONENT, content: RISER })).structuredContent;
    check("a write answers the new hash", /^[0-9a-f]{64}$/.test(written?.hash ?? ""), written);
    const read = textOf(await use(client, "read_file", { path: COMPONENT }));
    check("what was written reads back", read.includes("metresPerSecond"), read);

    const cube = { position: [0, 1.5, 0], components: { Mesh: { mesh: "@builtin::meshes.cube" }, riser: {} } };
    const spawned = await use(client, "use_tool", { tool: "entityOps.spawn", args: { name: "box", opts: cube } });
    check("the tool answers the entity", JSON.stringify(spawned.structuredContent.value).includes("box"), spawned);
    const run = (await use(client, "execute", { code: SPAWN, as: "fern" })).structuredContent;
    check("a script answers what it returns", run.result >= 2, run);
    const after = await look(client);
    if (after !== undefined) {
        check("the picture shows what was made", before !== after);
        check("an unchanged world gives the same picture", after === (await look(client)));
    }
    return after;
}

async function playAndGoBack(client, authored) {
    const height = async () =>
        (await use(client, "execute", { code: `return entity.find("box").position.y` })).structuredContent.result;
    const played = (await use(client, "play")).structuredContent;
    check("play says so", played.mode === "play" && played.paused === false, played);
    let risen = await height();
    for (let tries = 0; tries < 200 && risen < 2; tries += 1) {
        risen = (await use(client, "execute", { code: `task.wait(0.1) return entity.find("box").position.y` }))
            .structuredContent.result;
    }
    check("the component lifts its entity", risen >= 2, risen);
    check("pause says so", (await use(client, "pause")).structuredContent.paused === true);
    if (authored !== undefined) {
        check("play shows in the picture", authored !== (await look(client)));
    }
    check("edit says so", (await use(client, "edit")).structuredContent.mode === "edit");
    check("edit puts everything back", Math.abs((await height()) - 1.5) < 1e-6);
    if (authored !== undefined) {
        check("the picture is the authored one again", authored === (await look(client)));
    }
}

async function goWrong(client) {
    const argument = await refused(client, "read_file", { paht: "/zero/source" });
    check("a wrong argument is told the right one", argument.includes("did you mean 'path'?"), argument);
    const tool = await refused(client, "use_tool", { tool: "entityOps.spwan" });
    check("a wrong tool is told the right one", tool.includes("spawn"), tool);
    const script = await refused(client, "execute", { code: `error("on purpose")` });
    check("a script's error is told", script.includes("on purpose"), script);
    const unknown = await client.callTool({ name: "no_such_tool", arguments: {} }).catch((error) => error);
    check("an unknown tool is an error of the protocol", unknown?.code === -32602, unknown);
    const print = `print('{"jsonrpc":"2.0","id":1,"result":{}}') return 1`;
    const printed = (await use(client, "execute", { code: print, logs: "info" })).structuredContent;
    check("what a script prints is in the reply", JSON.stringify(printed.logs ?? []).includes("jsonrpc"), printed);
}

async function journey(transport, era) {
    const world = makeWorld();
    const { client, strays, close } = await connect(transport, world.path, era);
    try {
        check("the era is the one asked for", client.getNegotiatedProtocolVersion() === era);
        await discover(client);
        const authored = await make(client);
        if (authored === undefined) {
            console.log(`${era}: no pictures on this machine`);
        }
        await playAndGoBack(client, authored);
        await goWrong(client);
    } finally {
        await close();
        world.remove();
    }
    check("nothing but the protocol came over the wire", strays.length === 0, strays);
}

const transport = process.argv[2] ?? "stdio";
if (transport !== "stdio" && transport !== "http") {
    console.error(`'${transport}' is no transport: stdio or http`);
    process.exit(2);
}
for (const era of Object.keys(ERAS)) {
    try {
        await journey(transport, era);
    } catch (error) {
        check(`the journey over ${transport} in ${era} comes to its end`, false, error?.stack ?? error);
    }
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
