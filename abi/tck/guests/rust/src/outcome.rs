use crate::words::fate;
use mcpctl_stage::{Ctx, Error, Outcome, DONE, PASS};

pub fn done(c: &mut Ctx) -> Outcome {
    c.out.write("done")?;
    DONE
}

pub fn empty(c: &mut Ctx) -> Outcome {
    c.out.write("")?;
    DONE
}

pub fn nothing(_: &mut Ctx) -> Outcome {
    DONE
}

pub fn pass(c: &mut Ctx) -> Outcome {
    c.out.write("dropped")?;
    PASS
}

pub fn fail(c: &mut Ctx) -> Outcome {
    Err(Error::fail(format!("{} not in 1..9", c.int("number", 0))))
}

pub fn panic(_: &mut Ctx) -> Outcome {
    panic!("boom")
}

pub fn limit(c: &mut Ctx) -> Outcome {
    let piece = [b'x'; 65536].to_vec();
    for _ in 0..100 {
        let written = c.out.write(&piece);
        if written.is_err() {
            c.log.info(&fate(&written), &[]);
            break;
        }
    }
    DONE
}
