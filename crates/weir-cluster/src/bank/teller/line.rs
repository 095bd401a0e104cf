//! One connection to the bank.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Streaming;
use tonic::transport::Channel;

use crate::bank::counter::LARGEST_WORD;
use crate::downloader::link::told;
use crate::security::{ClientSecurity, explain_bank};
use crate::wire::bank_client::BankClient;
use crate::wire::task_word::What;
use crate::wire::{BankWord, BucketClaim, TaskLeaves, TaskWord, bank_word};

/// The bank takes a connection of this machine that is closed for the end of the task, so a line is kept
/// until the next one is accepted or the task has ended.
pub struct Line {
    words: mpsc::Sender<TaskWord>,
    answers: Streaming<BankWord>,
    /// The bank has said on it that the bucket is ours.
    pub is_accepted: bool,
    /// The result went out on it.
    pub has_result: bool,
    /// All that is held of servers was said on it.
    pub has_listed: bool,
    _channel: Channel,
}

/// Why there is no line any more.
pub enum Broken {
    /// It would be the same at the next try.
    Refused(String),
    Lost(String),
}

const WORDS: usize = 16;
/// A bank that does not answer for so long is not there.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);
/// For the last word to go out.
const FAREWELL: Duration = Duration::from_millis(500);

impl Line {
    pub async fn open(security: &ClientSecurity, claim: BucketClaim) -> Result<Line, Broken> {
        let channel = security.connect().await;
        let channel = channel.map_err(|why| Broken::Lost(explain_bank(&why)))?;
        let mut client = BankClient::with_interceptor(channel.clone(), security.interceptor())
            .max_decoding_message_size(LARGEST_WORD)
            .max_encoding_message_size(LARGEST_WORD);
        let (words, sent) = mpsc::channel(WORDS);
        // There is room: nothing was sent yet.
        let _ = words.try_send(TaskWord { what: Some(What::Claim(claim)) });
        let answered = timeout(ANSWER_WITHIN, client.claim(ReceiverStream::new(sent))).await;
        let answered =
            answered.map_err(|_| Broken::Lost("the driver does not answer".to_owned()))?;
        let answers = answered.map_err(broken)?.into_inner();
        Ok(Line {
            words,
            answers,
            is_accepted: false,
            has_result: false,
            has_listed: false,
            _channel: channel,
        })
    }

    /// The next word. Nothing is lost if this is dropped.
    pub async fn hear(&mut self) -> Result<bank_word::What, Broken> {
        match self.answers.message().await.map_err(broken)? {
            Some(BankWord { what: Some(what) }) => Ok(what),
            Some(_) => Err(Broken::Refused("a word of the bank says nothing".to_owned())),
            None => Err(Broken::Lost("the driver has closed the connection".to_owned())),
        }
    }

    /// One word could be sent.
    pub fn has_room(&self) -> bool {
        self.words.capacity() > 0
    }

    /// False if it cannot be sent at the moment.
    pub fn say(&self, what: What) -> bool {
        self.words.try_send(TaskWord { what: Some(what) }).is_ok()
    }

    /// Nothing is fetched any more. Waits a moment for the bank to take note.
    pub async fn leave(mut self) {
        if !self.say(What::Leaves(TaskLeaves {})) {
            return;
        }
        let until_closed = async { while self.hear().await.is_ok() {} };
        // If the bank does not close it, it hears of us by the end of the connection.
        let _ = timeout(FAREWELL, until_closed).await;
    }
}

fn broken(status: tonic::Status) -> Broken {
    match told(status) {
        (why, true) => Broken::Refused(why),
        (why, false) => Broken::Lost(why),
    }
}
