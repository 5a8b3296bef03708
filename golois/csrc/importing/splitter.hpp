// Cuts a stream of bytes into games, however the bytes are divided into pieces.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace golois {

// The text of one game and the line, from 1, on which it begins; valid until the splitter is fed
// again.
struct Slice {
  std::string_view text;
  size_t line = 0;
};

class Splitter {
 public:
  // No game is longer than this; what is longer is cut there.
  static constexpr size_t kMaxGameBytes = size_t{1} << 24;

  virtual ~Splitter() = default;

  void feed(std::string_view bytes);
  // No bytes follow: what is left is the last game.
  void finish() { is_finished_ = true; }
  // Finds the next game; false when more bytes are needed, or all is done.
  bool next(Slice &slice);
  // The line that next() has come to.
  size_t line() const { return line_; }

 protected:
  static constexpr size_t kNone = std::string::npos;

  // Moves next_ on until the bounds of a game are known. False: bytes are missing, or none is left.
  virtual bool find(size_t &begin, size_t &end) = 0;
  // The first byte that is still needed while no game is complete.
  virtual size_t first_needed() const = 0;

  std::string buffer_;
  size_t next_ = 0;       // the first byte that find() has not looked at
  size_t begin_ = kNone;  // of the game that find() is in
  bool is_finished_ = false;

 private:
  void count_lines(size_t end);

  size_t consumed_ = 0;  // bytes of the buffer that are no longer needed
  size_t counted_ = 0;   // bytes whose lines are counted in line_
  size_t line_ = 1;
};

// Game trees in parentheses, with anything between them. A node that has properties of a root ends
// an unfinished game, so that a broken record costs no other. The text is UTF-8.
class SgfSplitter : public Splitter {
 protected:
  bool find(size_t &begin, size_t &end) override;
  size_t first_needed() const override { return begin_ != kNone ? begin_ : next_; }

 private:
  enum class Step { kContinue, kGameEnds, kNeedsBytes };
  enum class Answer { kNo, kYes, kNeedsBytes };
  Step step();
  Step seek_game();
  Answer begins_game(size_t at, bool begins_line) const;

  size_t depth_ = 0;
  bool in_value_ = false;
};

// Games of games.data: each begins at its komi, or where there is none at its winner.
class GamesTextSplitter : public Splitter {
 protected:
  bool find(size_t &begin, size_t &end) override;
  // Before the first winner everything is needed: the last of it may be a komi.
  size_t first_needed() const override {
    if (begin_ != kNone) return begin_;
    return is_finished_ || next_ >= kMaxGameBytes ? next_ : 0;
  }

 private:
  size_t start_of_game(size_t winner_at) const;
};

// Non-empty lines.
class LineSplitter : public Splitter {
 protected:
  bool find(size_t &begin, size_t &end) override;
  size_t first_needed() const override { return begin_ != kNone ? begin_ : next_; }
};

// Looks at the first bytes of a source: games.data begins with a number or a winner, and everything
// else is SGF. Null when more bytes are needed to tell.
std::unique_ptr<Splitter> make_splitter(std::string_view first_bytes, bool is_all);

}  // namespace golois
