//! The commands, one file each. All of them end the same way: a [`Report`] or a [`Failure`],
//! printed once.

mod check;
mod exec;
mod hash;
mod mcp;
mod new;
mod play;
mod serve;
mod tool;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;
use zero_base::{Caller, CancelFlag, Fault, Transport};
use zero_runtime::{Answer, Engine, EngineConfig, Op, Outcome};

use crate::attach::check_name;
use crate::cli::{self, Cli, Command, Parsed};
use crate::dispatch::Reply;
use crate::interrupt::Interrupt;
use crate::print::{Failure, NO_ENGINE, Report, err, error_text, out, print};
use crate::world_dir::find_world;
use crate::{Backend, BackendSettings, Dispatch, OpenRequest, Opener, ProgramError, Role, logs};

/// How long a call may take that cannot go on as a task.
const PATIENCE: Duration = Duration::from_secs(120);

/// Runs the program with the words of its command line and answers its exit code.
pub fn run(args: Vec<OsString>) -> i32 {
    match cli::parse(&args) {
        Parsed::Text(text) => {
            out(text.trim_end());
            0
        }
        Parsed::Wrong { message, json } => print(Err(ProgramError::usage(message).into()), json),
        Parsed::Help(cli) => {
            let as_json = cli.json;
            print(with_context(*cli, |context| Ok(tool::program_help(context))), as_json)
        }
        Parsed::Run(cli) => carry_out(*cli),
    }
}

fn carry_out(mut cli: Cli) -> i32 {
    let words = match cli.command.take() {
        Some(Command::Tool(words)) => match cli::ToolWords::parse(words) {
            Ok(words) => {
                cli.json |= words.json;
                Some(words)
            }
            Err(error) => return print(Err(error.into()), cli.json),
        },
        command => {
            cli.command = command;
            None
        }
    };
    let as_json = cli.json;
    let outcome = with_context(cli, |context| match (words, context.cli.command.as_ref()) {
        (Some(words), _) => tool::tool(context, &words),
        (None, None) => tool::search(context),
        (None, Some(Command::New { dir })) => new::new(dir),
        (None, Some(Command::Run(args))) => play::play(context, args),
        (None, Some(Command::Mcp)) => mcp::mcp(context),
        (None, Some(Command::Serve { port })) => serve::serve(context, *port),
        (None, Some(Command::Exec(args))) => exec::exec(context, args),
        (None, Some(Command::Check { path })) => check::check(context, path.as_deref()),
        (None, Some(Command::Hash)) => hash::hash(context),
        (None, Some(Command::Tool(_))) => unreachable!("taken above"),
    });
    print(outcome, as_json)
}

/// What every command is given.
struct Context {
    cli: Cli,
    runtime: Runtime,
    interrupt: Interrupt,
}

fn with_context(cli: Cli, command: impl FnOnce(&Context) -> Result<Report, Failure>) -> Result<Report, Failure> {
    let talks_long = matches!(cli.command, Some(Command::Serve { .. }));
    logs::start(if talks_long { "warn,zero=info" } else { "warn" });
    check_name(&cli.caller)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|source| ProgramError::Runtime { source })?;
    let interrupt = Interrupt::install(runtime.handle());
    let context = Context { cli, runtime, interrupt };
    let outcome = command(&context);
    // Reads of standard input cannot be cancelled: the runtime is left, not waited for.
    context.runtime.shutdown_background();
    outcome
}

impl Context {
    fn backend(&self, role: Role, port: u16, grace: Duration) -> Result<Backend, Failure> {
        let from = std::env::current_dir().map_err(|source| ProgramError::File { path: ".".into(), source })?;
        let world = find_world(self.cli.world.as_deref(), &from)?;
        let absolute =
            |dir: &PathBuf| std::path::absolute(dir).map_err(|source| ProgramError::File { path: dir.clone(), source });
        let builtin = self.cli.builtin.as_ref().map(absolute).transpose()?;
        let open = OpenRequest { world, builtin };
        let settings = BackendSettings { open, role, port, grace, on_lock_lost: end_at_once };
        Ok(Backend::new(settings, engine_opener(), self.runtime.handle().clone()))
    }

    /// Does one piece of work in a world and leaves it, whatever came of it.
    fn in_world<T>(&self, work: impl FnOnce(&World) -> Result<T, Failure>) -> Result<T, Failure> {
        // Others may have attached meanwhile: their calls are let finish.
        const GRACE: Duration = Duration::from_secs(25);
        let backend = self.backend(Role::OneShot, 0, GRACE)?;
        backend.connect().map_err(Failure::no_engine)?;
        let done = work(&World { context: self, backend: &backend });
        let closed = backend.close().map_err(Failure::no_engine);
        match (done, self.interrupt.exit_code()) {
            // Given up half way; a command that was to go on until Ctrl-C has ended well.
            (Err(failure), Some(exit_code)) => Err(Failure { exit_code, ..failure }),
            (done, _) => done.and_then(|done| closed.map(|()| done)),
        }
    }

    fn caller(&self, op: &Op) -> Caller {
        let mut caller = Caller::new(&self.cli.caller, Transport::Shell);
        caller.cancel = self.interrupt.cancel.clone();
        // What may go on as a task must not end with the call that began it.
        if matches!(op, Op::Execute(_) | Op::UseTool(_)) { caller } else { caller.until(Instant::now() + PATIENCE) }
    }
}

/// A world that one command works in.
struct World<'a> {
    context: &'a Context,
    backend: &'a Backend,
}

impl World<'_> {
    fn call(&self, op: Op) -> Result<Answer, Failure> {
        self.backend.dispatch(self.context.caller(&op), op).map_err(Failure::refused)
    }

    /// A call that is made although the command has been interrupted, to leave things in order.
    fn call_at_the_end(&self, op: Op) -> Result<Answer, Failure> {
        let caller = Caller { cancel: CancelFlag::default(), ..self.context.caller(&op) };
        self.backend.dispatch(caller, op).map_err(Failure::refused)
    }
}

/// Ending in good order would write to a world that is somebody else's now.
fn end_at_once(fault: &Fault) {
    err(&error_text(fault));
    std::process::exit(NO_ENGINE);
}

fn engine_opener() -> Opener {
    Arc::new(|request| {
        let config = EngineConfig { world: request.world.clone(), builtin: request.builtin.clone(), pictures: true };
        Ok(Arc::new(OwnEngine(Engine::open(config)?)) as Arc<dyn Dispatch>)
    })
}

struct OwnEngine(Engine);

impl Dispatch for OwnEngine {
    fn dispatch(&self, caller: Caller, op: Op) -> Outcome {
        self.0.call_blocking(caller, op)
    }

    fn begin(self: Arc<Self>, caller: Caller, op: Op, reply: Reply) {
        self.0.call_then(caller, op, |outcome| reply.send(outcome));
    }
}
