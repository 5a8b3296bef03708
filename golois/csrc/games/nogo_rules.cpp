#include "games/nogo_rules.hpp"

namespace golois {

PointSet nogo_moves(const Board &board, Colour colour) {
  PointSet moves;
  board.empty_points().for_each([&](int p) {
    const Board::Contact contact = board.contact_of(p, colour);
    moves.insert_if(contact.breathes & !contact.captures, p);
  });
  return moves;
}

Area dominion(const Board &board) {
  const PointSet of_black = nogo_moves(board, kBlack), of_white = nogo_moves(board, kWhite);
  Area owned{of_black - of_white, of_white - of_black};
  owned.black |= board.stones(kBlack);
  owned.white |= board.stones(kWhite);
  return owned;
}

}  // namespace golois
